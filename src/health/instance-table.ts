import type { Clock } from '../clock.js';
import { ByInstance } from '../registry/by-instance.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import type {
  HeartbeatListener,
  Instance,
  InstanceChange,
  InstanceFollower,
  InstanceReport,
} from '../registry/instance.js';
import type {
  CallObserver,
  CallOutcome,
  InstanceState,
  InstanceView,
  InstanceViews,
} from './instance-view.js';
import type { StateChange } from './state-change.js';

/** Share of the newest answer in the smoothed latency: about the last ten answers count. */
const LATENCY_WEIGHT = 0.2;

/** Changes of its state that are kept of each instance. */
const KEPT_CHANGES = 50;

/** One instance at one address. */
interface InstanceRecord {
  instance: Instance;
  leaseHolds: boolean;
  startsDown: boolean;
  report: InstanceReport | undefined;
  pending: number;
  latencyMs: number | undefined;
  history: readonly StateChange[];
  /** Undefined when something has changed since it was last asked for. */
  view: InstanceView | undefined;
}

function stateOf({ instance, leaseHolds, startsDown, report }: InstanceRecord): InstanceState {
  if (!leaseHolds) return 'expired';
  if (instance.draining || report?.state === 'draining') return 'draining';
  if (report?.state === 'paused') return 'paused';
  return startsDown ? 'down' : 'up';
}

/** All instances, with what they say of themselves and what our own calls show of them. */
export class InstanceTable
  implements CatalogueFollower, InstanceFollower, HeartbeatListener, InstanceViews, CallObserver
{
  readonly #clock: Clock;
  readonly #records = new ByInstance<InstanceRecord>();
  readonly #maxConcurrency = new Map<string, number | undefined>();
  /** Those of one agent; what is not there is rebuilt when it is asked for. */
  readonly #views = new Map<string, readonly InstanceView[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async prepare(_agents: readonly Agent[]): Promise<void> {}

  apply(_snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const { kind, agent } of changes) {
      const { agentName, maxConcurrency } = agent.manifest;
      if (kind === 'removed') this.#maxConcurrency.delete(agentName);
      else this.#maxConcurrency.set(agentName, maxConcurrency);
      for (const record of this.#records.of(agentName).values()) this.#touched(record);
    }
  }

  applyInstances(changes: readonly InstanceChange[]): void {
    for (const change of changes) this.#apply(change);
  }

  leaseChanged(agentName: string, instanceId: string, holds: boolean): void {
    this.#judge(agentName, instanceId, holds ? 'its lease holds again' : 'its lease is over', (record) => {
      record.leaseHolds = holds;
    });
  }

  heard(agentName: string, instanceId: string, report: InstanceReport) {
    this.#judge(agentName, instanceId, `it said that it is ${report.state}`, (record) => {
      record.report = report;
    });
    return { commands: [], fenced: false };
  }

  historyOf(agentName: string, instanceId: string): readonly StateChange[] {
    return this.#records.get(agentName, instanceId)?.history ?? [];
  }

  instancesOf(agentName: string): readonly InstanceView[] {
    let views = this.#views.get(agentName);
    if (views === undefined) {
      views = Array.from(this.#records.of(agentName).values(), (record) => {
        record.view ??= this.#viewOf(record);
        return record.view;
      });
      if (views.length > 0) this.#views.set(agentName, views);
    }
    return views;
  }

  begin(agentName: string, instanceId: string): (outcome: CallOutcome) => void {
    const record = this.#records.get(agentName, instanceId);
    // Removed between the decision and the call: the call goes on, nothing is left to learn from it.
    if (record === undefined) return () => {};
    record.pending += 1;
    this.#touched(record);
    return ({ outcome, elapsedMs }) => {
      record.pending -= 1;
      // Only answers have a latency; a quick failure must not make an instance look fast.
      if (outcome === 'completed') {
        record.latencyMs =
          (record.latencyMs ?? elapsedMs) * (1 - LATENCY_WEIGHT) + elapsedMs * LATENCY_WEIGHT;
      }
      this.#touched(record);
    };
  }

  #apply(change: InstanceChange): void {
    const { agentName, instanceId } = change.instance;
    if (change.kind === 'left') {
      this.#records.delete(agentName, instanceId);
      this.#views.delete(agentName);
    } else if (change.kind === 'changed' && !change.restarted) {
      this.#judge(agentName, instanceId, 'it was edited', (record) => {
        record.instance = change.instance;
      });
    } else {
      this.#begin(change.instance, change.kind === 'joined' && change.startsDown);
    }
  }

  /** Nothing that was known of an address holds for the next one, but its history. */
  #begin(instance: Instance, startsDown: boolean): void {
    const { agentName, instanceId } = instance;
    const before = this.#records.get(agentName, instanceId);
    const record: InstanceRecord = {
      instance,
      leaseHolds: true,
      startsDown,
      report: undefined,
      pending: 0,
      latencyMs: undefined,
      history: before?.history ?? [],
      view: undefined,
    };
    this.#records.set(agentName, instanceId, record);
    this.#note(record, before === undefined ? null : stateOf(before), 'it started');
    this.#touched(record);
  }

  #judge(
    agentName: string,
    instanceId: string,
    reason: string,
    change: (record: InstanceRecord) => void,
  ): void {
    const record = this.#records.get(agentName, instanceId);
    if (record === undefined) return;
    const from = stateOf(record);
    change(record);
    this.#note(record, from, reason);
    this.#touched(record);
  }

  #note(record: InstanceRecord, from: InstanceState | null, reason: string): void {
    const to = stateOf(record);
    if (from === to) return;
    const { agentName, instanceId, addrVersion } = record.instance;
    const change = { atMs: this.#clock.now(), agentName, instanceId, from, to, reason, addrVersion };
    record.history = [...record.history, change].slice(-KEPT_CHANGES);
  }

  #touched(record: InstanceRecord): void {
    record.view = undefined;
    this.#views.delete(record.instance.agentName);
  }

  #viewOf(record: InstanceRecord): InstanceView {
    const { agentName, instanceId, address, addrVersion, weight, region, labels } = record.instance;
    const state = stateOf(record);
    return {
      agentName,
      instanceId,
      address,
      addrVersion,
      weight,
      region,
      labels,
      state,
      reachability: state === 'down' || state === 'expired' ? 0 : 1,
      pending: Math.max(record.pending, record.report?.pending ?? 0),
      maxConcurrency: this.#maxConcurrency.get(agentName),
      latencyMs: record.latencyMs,
    };
  }
}
