import { type Change, type Decision, ReachClient } from 'agent-reach-sdk';
import { sendJson } from '../../../benchmarks/support/send-json.js';
import type { HealthReportWire } from '../../../src/wire/health.js';
import type { InstanceDetailWire, InstanceListWire } from '../../../src/wire/instances.js';

/** What every capability of these tests may: be carried out once more. */
const WORK = { id: 'work', name: 'Work', idempotent: true };

/** Asks a service over HTTP alone, and keeps what its stream of changes has told since. */
export class ServiceUser {
  readonly url: string;
  readonly reach: ReachClient;
  /** In order, notices included. */
  readonly changes: Change[] = [];
  readonly #stop = new AbortController();
  readonly #followed: Promise<void>;

  constructor(url: string) {
    this.url = url;
    this.reach = new ReachClient({ endpoint: url });
    this.#followed = this.#follow();
  }

  /** An agent with the one capability `work`. */
  async publish(agentName: string, more: object = {}): Promise<void> {
    const manifest = { agent_name: agentName, manifest_version: 1, capabilities: [WORK], ...more };
    await sendJson('PUT', `${this.url}/api/v1/agents/${agentName}/manifest`, manifest);
  }

  register(agentName: string, instanceId: string, registration: object) {
    return sendJson('PUT', this.#instanceUrl(agentName, instanceId), registration);
  }

  async leave(agentName: string, instanceId: string): Promise<void> {
    await fetch(this.#instanceUrl(agentName, instanceId), { method: 'DELETE' });
  }

  heartbeat(agentName: string, instanceId: string, beat: object) {
    return sendJson('POST', `${this.#instanceUrl(agentName, instanceId)}/heartbeat`, beat);
  }

  decide(agentName: string): Promise<Decision> {
    return this.reach.route(null, undefined, { agentName });
  }

  async instances(agentName: string): Promise<InstanceListWire['instances']> {
    const { instances } = await this.#get<InstanceListWire>(`/api/v1/agents/${agentName}/instances`);
    return instances;
  }

  /** With the history of its states. */
  instance(agentName: string, instanceId: string): Promise<InstanceDetailWire> {
    return this.#get(`/api/v1/agents/${agentName}/instances/${instanceId}`);
  }

  health(): Promise<HealthReportWire> {
    return this.#get('/health');
  }

  changesOf(agentName: string, instanceId: string): Change[] {
    return this.changes.filter(({ agent, instance }) => agent === agentName && instance === instanceId);
  }

  /** What the service has told of itself. */
  get notices(): string[] {
    return this.changes.filter(({ agent }) => agent === null).map(({ reason }) => reason);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#followed;
  }

  async #follow(): Promise<void> {
    for await (const { event, data } of this.reach.changes({ signal: this.#stop.signal })) {
      if (event === 'change') this.changes.push(data);
    }
  }

  async #get<Answer>(path: string): Promise<Answer> {
    return (await fetch(this.url + path)).json() as Promise<Answer>;
  }

  #instanceUrl(agentName: string, instanceId: string): string {
    return `${this.url}/api/v1/agents/${agentName}/instances/${instanceId}`;
  }
}
