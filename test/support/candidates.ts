import type { BySpace } from '../../src/embedding/embedding-space.js';
import type { InstanceView } from '../../src/health/instance-view.js';
import type { JsonSchema, Manifest, ManifestDocument } from '../../src/manifest/schema.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';
import type { Agent } from '../../src/registry/catalogue.js';
import { type CapabilityVectors, capabilityVectors } from '../../src/retrieval/capability-vectors.js';
import { type IndexedCapability, indexCapability } from '../../src/retrieval/indexed-capability.js';
import type { Kinship } from '../../src/routing/groups.js';
import { type ScoredCandidate, unsearched } from '../../src/routing/scored-candidate.js';

/** A unit vector of four numbers in the plane of the first two axes, `degrees` from the first. */
export function direction(degrees: number): Float32Array {
  const radians = (degrees * Math.PI) / 180;
  return Float32Array.of(Math.cos(radians), Math.sin(radians), 0, 0);
}

type CapabilityInput = Partial<ManifestDocument['capabilities'][number]> & { readonly id: string };

/** A manifest of capabilities that are called like their ids where nothing else is said. */
export function manifestOf(agentName: string, capabilities: readonly CapabilityInput[]): Manifest {
  const named = capabilities.map((capability) => ({ name: capability.id, ...capability }));
  return withDefaults({ agent_name: agentName, capabilities: named }, 1);
}

interface CapabilityOptions {
  readonly agent?: string;
  readonly id?: string;
  readonly examples?: readonly string[];
  readonly tags?: string[];
  readonly labels?: Record<string, string>;
  readonly team?: string;
  readonly visibleTo?: string[];
  readonly priority?: number;
  readonly threshold?: number;
  readonly equivalentTo?: string[];
  readonly inputSchema?: JsonSchema;
  /** Pointers that every payload is said to lack. */
  readonly missing?: readonly string[];
}

/** A capability as the index holds it. */
export function indexed(options: CapabilityOptions = {}): IndexedCapability {
  const { agent: agentName = 'reports', id = 'weekly', examples = [], missing = [] } = options;
  const document = {
    agent_name: agentName,
    manifest_version: 1,
    team: options.team ?? 'default',
    visible_to: options.visibleTo ?? ['*'],
    labels: options.labels ?? {},
    capabilities: [
      {
        id,
        name: id,
        examples: [...examples],
        tags: options.tags ?? [],
        priority: options.priority ?? 50,
        equivalent_to: options.equivalentTo ?? [],
        ...(options.threshold === undefined ? {} : { threshold: options.threshold }),
        ...(options.inputSchema === undefined ? {} : { input_schema: { ...Object(options.inputSchema) } }),
      },
    ],
  };
  const manifest = withDefaults(document, 1);
  const agent: Agent = {
    manifest,
    document,
    source: 'api',
    validators: { check: () => ({ missing, errors: [] }), checkResult: () => [] },
  };
  const [capability] = manifest.capabilities;
  if (capability === undefined) throw new Error('the manifest above has one capability');
  return indexCapability(agent, capability);
}

/** What there is where no second model is. */
export function inMain<Of>(main: Of): BySpace<Of> {
  return { main, english: undefined };
}

/** The vectors of a capability whose texts all lie in one direction. */
export function vectorsAt(degrees: number): BySpace<CapabilityVectors> {
  const vector = direction(degrees);
  return inMain(capabilityVectors({ name: vector, description: vector, summary: vector, full: vector }, []));
}

/** Of this relevance by whatever signals: a log-odds, as `testWeights` have it. */
export function scored(relevance: number, options: CapabilityOptions = {}): ScoredCandidate {
  return { ...unsearched(indexed(options)), relevance };
}

/** Schemas that accept every payload or none; summaries are alike where the ids are the same, or as told. */
export function kinship({
  accepts = true,
  likeness,
}: {
  accepts?: boolean;
  likeness?: number;
} = {}): Kinship {
  return {
    accepts: () => accepts,
    likeness: (a, b) => likeness ?? (a.capability.id === b.capability.id ? 1 : 0),
  };
}

export function instance(options: Partial<InstanceView> = {}): InstanceView {
  return {
    agentName: 'reports',
    instanceId: 'a',
    address: 'http://127.0.0.1:9601',
    addrVersion: 1,
    weight: 100,
    region: undefined,
    labels: {},
    version: undefined,
    state: 'up',
    reason: 'it came',
    since: 0,
    suspect: false,
    blocked: new Set(),
    reachability: 1,
    pending: 0,
    maxConcurrency: undefined,
    latencyMs: undefined,
    ...options,
  };
}
