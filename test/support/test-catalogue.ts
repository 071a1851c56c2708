import type { PayloadCheck } from '../../src/manifest/payload-validators.js';
import type { Capability, Manifest, StaticInstance } from '../../src/manifest/schema.js';
import type { Agent, CatalogueFollower, CatalogueSnapshot } from '../../src/registry/catalogue.js';

export type InstanceInput = Pick<StaticInstance, 'instanceId' | 'address'> & Partial<StaticInstance>;

export interface AgentInput extends Omit<Partial<Manifest>, 'capabilities' | 'instances'> {
  readonly agentName: string;
  readonly capabilities?: readonly (Pick<Capability, 'id'> & Partial<Capability>)[];
  readonly instances?: readonly InstanceInput[];
  /** How every payload is judged; by default it fits. */
  readonly check?: (capabilityId: string, payload: unknown) => PayloadCheck;
  /** What is wrong with a result; by default nothing. */
  readonly checkResult?: (capabilityId: string, result: unknown) => PayloadCheck['errors'];
}

const FITS: PayloadCheck = { missing: [], errors: [] };

function capabilityOf(input: Pick<Capability, 'id'> & Partial<Capability>): Capability {
  return {
    name: input.id,
    description: '',
    examples: [],
    tags: [],
    priority: 50,
    inputSchema: true,
    outputSchema: true,
    equivalentTo: [],
    threshold: undefined,
    deadlineMs: undefined,
    expectedMs: undefined,
    idempotent: false,
    degrade: undefined,
    instanceStrategy: undefined,
    ...input,
  };
}

function agentOf({
  capabilities = [{ id: 'weekly' }],
  instances = [],
  check = () => FITS,
  checkResult = () => [],
  ...rest
}: AgentInput): Agent {
  const manifest: Manifest = {
    manifestVersion: 1,
    team: 'default',
    visibleTo: ['*'],
    maxConcurrency: undefined,
    maxQps: undefined,
    executeEndpoint: '/execute',
    healthEndpoint: '/healthz',
    auth: { type: 'none' },
    labels: {},
    ...rest,
    capabilities: capabilities.map(capabilityOf),
    instances: instances.map((instance) => ({ weight: 100, region: undefined, labels: {}, ...instance })),
  };
  const document = { agent_name: rest.agentName, capabilities: [] };
  return { manifest, document, source: 'api', validators: { check, checkResult } };
}

/** A catalogue of already checked manifests that tells its followers of every change, as the registry does. */
export class TestCatalogue {
  readonly #agents = new Map<string, Agent>();
  readonly #followers: CatalogueFollower[] = [];
  #version = 0;

  follow(follower: CatalogueFollower): void {
    this.#followers.push(follower);
  }

  snapshot(): CatalogueSnapshot {
    return { version: this.#version, agents: new Map(this.#agents) };
  }

  publish(input: AgentInput): void {
    const agent = agentOf(input);
    const before = this.#agents.get(input.agentName);
    this.#agents.set(input.agentName, agent);
    this.#version += 1;
    for (const follower of this.#followers)
      follower.apply(this.snapshot(), [{ kind: 'published', agent, before }]);
  }

  remove(agentName: string): void {
    const agent = this.#agents.get(agentName);
    if (agent === undefined) throw new Error(`${agentName} is not there`);
    this.#agents.delete(agentName);
    this.#version += 1;
    for (const follower of this.#followers) follower.apply(this.snapshot(), [{ kind: 'removed', agent }]);
  }
}
