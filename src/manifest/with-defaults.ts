import {
  type Capability,
  type Manifest,
  type ManifestDocument,
  manifestCodec,
  type StaticInstance,
} from './schema.js';

type Code = ReturnType<typeof manifestCodec.decode>;

function capabilityOf(given: Code['capabilities'][number]): Capability {
  return {
    id: given.id,
    name: given.name,
    description: given.description ?? '',
    examples: given.examples ?? [],
    tags: given.tags ?? [],
    priority: given.priority ?? 50,
    inputSchema: given.inputSchema ?? true,
    outputSchema: given.outputSchema ?? true,
    equivalentTo: given.equivalentTo ?? [],
    threshold: given.threshold,
    deadlineMs: given.deadlineMs,
    expectedMs: given.expectedMs,
    idempotent: given.idempotent ?? false,
    degrade: given.degrade,
    instanceStrategy: given.instanceStrategy,
  };
}

function instanceOf(given: NonNullable<Code['instances']>[number]): StaticInstance {
  return {
    instanceId: given.instanceId,
    address: given.address,
    weight: given.weight ?? 100,
    region: given.region,
    labels: given.labels ?? {},
  };
}

/** A checked document with every default in place. `version` counts where the document names none. */
export function withDefaults(document: ManifestDocument, version: number): Manifest {
  const given = manifestCodec.decode(document);
  return {
    agentName: given.agentName,
    manifestVersion: given.manifestVersion ?? version,
    team: given.team ?? 'default',
    visibleTo: given.visibleTo ?? ['*'],
    capabilities: given.capabilities.map(capabilityOf),
    maxConcurrency: given.dependencies?.maxConcurrency,
    maxQps: given.limits?.maxQps,
    executeEndpoint: given.executeEndpoint ?? '/execute',
    healthEndpoint: given.healthEndpoint ?? '/healthz',
    auth: given.auth ?? { type: 'none' },
    labels: given.labels ?? {},
    instances: (given.instances ?? []).map(instanceOf),
  };
}
