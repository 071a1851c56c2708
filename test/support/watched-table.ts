import { InstanceTable } from '../../src/health/instance-table.js';
import type { CallOutcome, InstanceView } from '../../src/health/instance-view.js';
import type { ProbeResult } from '../../src/health/probe.js';
import type { StateChange } from '../../src/health/state-change.js';
import type { Instance, InstanceReport } from '../../src/registry/instance.js';
import { HandClock } from './hand-clock.js';

export const PROBE_OK: ProbeResult = { kind: 'ok', rttMs: 0 };
export const PROBE_REFUSED: ProbeResult = { kind: 'failed', by: 'network', detail: 'connection refused' };

/** A registered instance of the agent `reports`. */
export function registered(instanceId: string, options: Partial<Instance> = {}): Instance {
  return {
    agentName: 'reports',
    instanceId,
    address: `http://127.0.0.1:9601/${instanceId}`,
    healthAddress: `http://127.0.0.1:9601/${instanceId}/healthz`,
    weight: 100,
    region: undefined,
    labels: {},
    version: undefined,
    addrVersion: 1,
    incarnation: undefined,
    origin: 'registered',
    draining: false,
    ...options,
  };
}

export function reportOf(state: InstanceReport['state'], pending?: number): InstanceReport {
  return { state, pending, load: undefined };
}

/** A table over hand-moved time that keeps every change it tells. */
export class WatchedTable {
  readonly clock = new HandClock();
  readonly table = new InstanceTable(this.clock);
  readonly changes: StateChange[] = [];

  constructor() {
    this.table.onChange((change) => this.changes.push(change));
  }

  join(...instances: readonly Instance[]): this {
    this.table.applyInstances(instances.map((instance) => ({ kind: 'joined', instance, startsDown: false })));
    return this;
  }

  /** A probe every five seconds. */
  probe(instanceId: string, result: ProbeResult, times = 1): this {
    for (let i = 0; i < times; i++) {
      this.clock.pass(5_000);
      this.table.probed('reports', instanceId, result);
    }
    return this;
  }

  call(instanceId: string, outcome: CallOutcome['outcome'], times = 1, capabilityId = 'weekly'): this {
    for (let i = 0; i < times; i++)
      this.table.begin('reports', instanceId, capabilityId)({ outcome, elapsedMs: 1 });
    return this;
  }

  view(instanceId: string): InstanceView {
    const view = this.table.instancesOf('reports').find((one) => one.instanceId === instanceId);
    if (view === undefined) throw new Error(`${instanceId} is not there`);
    return view;
  }

  /** From the state to the state, and why, of each change since the last call. */
  told(): [string | null, string | null, string][] {
    return this.changes.splice(0).map(({ from, to, reason }) => [from, to, reason]);
  }
}
