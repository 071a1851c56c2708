import type { Clock } from '../clock.js';
import { ALL_OURS, type Shares } from '../cluster/shares.js';
import type { Manifest } from '../manifest/schema.js';
import type { CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import type {
  HeartbeatListener,
  Instance,
  InstanceChange,
  InstanceFollower,
  InstanceReport,
  LeaveReason,
} from '../registry/instance.js';
import { AgentInstances } from './agent-instances.js';
import { Alarm } from './alarm.js';
import type { Finding, HealthNews } from './health-news.js';
import { InstanceRecord, type Moment } from './instance-record.js';
import type { CallObserver, CallOutcome, InstanceView, InstanceViews } from './instance-view.js';
import type { ProbeFollower, ProbeResult } from './probe.js';
import { ProbeTargets } from './probe-targets.js';
import type { StateChange } from './state-change.js';

/** Whoever tells other replicas what is seen here. Must not throw. */
export interface HealthTeller {
  found(record: InstanceRecord, finding: Finding): void;
  /** A call to it has begun or ended. */
  worked(record: InstanceRecord): void;
  left(record: InstanceRecord): void;
}

const NO_VIEWS: readonly InstanceView[] = [];

/** All instances, with what probes, heartbeats and our own calls show of them. */
export class InstanceTable
  implements CatalogueFollower, InstanceFollower, HeartbeatListener, InstanceViews, CallObserver
{
  readonly #clock: Clock;
  readonly #probed: boolean;
  readonly #agents = new Map<string, AgentInstances>();
  readonly #targets = new ProbeTargets();
  #teller: HealthTeller | undefined;
  readonly #listeners: ((change: StateChange) => void)[] = [];
  /** For what changes though nothing happens. */
  readonly #alarm: Alarm<InstanceRecord>;

  /** `probed`: whether there is somebody who probes. */
  constructor(clock: Clock, probed = true) {
    this.#clock = clock;
    this.#probed = probed;
    this.#alarm = new Alarm(clock, (record) => this.#settle(record));
  }

  /** Called synchronously with each change of a state; must not throw. */
  onChange(listener: (change: StateChange) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * There is one that probes: it is told at once what there is, and from then on what changes, of those instances that
   * are ours to probe.
   */
  followProbes(follower: ProbeFollower, shares: Shares = ALL_OURS): void {
    this.#targets.follow(follower, shares);
  }

  /** There may be other replicas, who are told what is seen here. */
  tellTo(teller: HealthTeller): void {
    this.#teller = teller;
  }

  /** What another replica has seen. Of an instance that is not known, or at another address by now, it says nothing. */
  learn({ agentName, instanceId, address, finding }: HealthNews): void {
    const record = this.#record(agentName, instanceId);
    if (record === undefined || record.instance.address !== address) return;
    record.learn(finding, this.#now());
    this.#settleAndProbe(record);
    if (finding.kind === 'suspect') this.#targets.probeNow(record);
  }

  /** All that is known now, instance by instance. */
  *records(): Generator<InstanceRecord> {
    for (const agent of this.#agents.values()) yield* agent.values();
  }

  /** All that other replicas have to know of an instance who know nothing yet. */
  findingsOf(record: InstanceRecord): Finding[] {
    return record.findings(this.#now());
  }

  async prepare(): Promise<void> {}

  apply(_snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const { kind, agent } of changes) {
      this.#declare(agent.manifest.agentName, kind === 'removed' ? undefined : agent.manifest);
    }
  }

  applyInstances(changes: readonly InstanceChange[]): void {
    for (const change of changes) {
      const { agentName, instanceId } = change.instance;
      const known = this.#record(agentName, instanceId);
      if (change.kind === 'joined') {
        if (known !== undefined) this.#leave(known, 'replaced');
        this.#join(change.instance, change.startsDown);
      } else if (known !== undefined && change.kind === 'left') {
        this.#leave(known, change.reason);
      } else if (known !== undefined && change.kind === 'changed') {
        if (change.restarted) known.restart(change.instance);
        else known.edit(change.instance);
        this.#settleAndProbe(known);
      }
    }
  }

  leaseChanged(agentName: string, instanceId: string, holds: boolean): void {
    const record = this.#record(agentName, instanceId);
    if (record === undefined) return;
    record.leaseChanged(holds, this.#now());
    this.#settleAndProbe(record);
  }

  heard(
    agentName: string,
    instanceId: string,
    report: InstanceReport,
  ): ReturnType<HeartbeatListener['heard']> {
    const record = this.#record(agentName, instanceId);
    if (record === undefined) return { commands: [], fenced: false };
    const commands = record.heard(report);
    this.#settleAndProbe(record);
    // Asked often until it has resumed, too.
    return { commands, fenced: record.health.fenced || commands.length > 0 };
  }

  /** What a probe came to. What is the fault of our own network or process is not to be told. */
  probed(agentName: string, instanceId: string, result: ProbeResult): void {
    const record = this.#record(agentName, instanceId);
    if (record === undefined) return;
    const now = this.#now();
    record.probed(result, now);
    this.#settleAndProbe(record);
    this.#teller?.found(record, { kind: 'probes', probes: record.probesSeen(now) });
  }

  begin(agentName: string, instanceId: string, capabilityId: string): (outcome: CallOutcome) => void {
    const record = this.#record(agentName, instanceId);
    // Removed between the decision and the call: the call goes on, nothing is left to learn from it.
    if (record === undefined) return () => {};
    const began = this.#now();
    const end = record.begin(capabilityId, began);
    this.#settle(record, began);
    this.#teller?.worked(record);
    return (outcome) => {
      const now = this.#now();
      const wasSuspect = record.health.isSuspect(now.monotonicMs);
      const found = end(outcome, now);
      if (this.#record(agentName, instanceId) !== record) return;
      this.#settle(record, now);
      this.#teller?.worked(record);
      for (const finding of found) this.#teller?.found(record, finding);
      if (record.health.isSuspect(now.monotonicMs) && !wasSuspect) this.#targets.probeNow(record);
    };
  }

  instancesOf(agentName: string): readonly InstanceView[] {
    return this.#agents.get(agentName)?.views(() => this.#now()) ?? NO_VIEWS;
  }

  /** The last changes of its state, the oldest first; none where it is not known. */
  historyOf(agentName: string, instanceId: string): readonly StateChange[] {
    return this.#record(agentName, instanceId)?.history ?? [];
  }

  #now(): Moment {
    return { monotonicMs: this.#clock.monotonic(), wallMs: this.#clock.now() };
  }

  #record(agentName: string, instanceId: string): InstanceRecord | undefined {
    return this.#agents.get(agentName)?.get(instanceId);
  }

  #agent(agentName: string): AgentInstances {
    let agent = this.#agents.get(agentName);
    if (agent === undefined) {
      agent = new AgentInstances();
      this.#agents.set(agentName, agent);
    }
    return agent;
  }

  /** The manifest of an agent is another one, or gone. */
  #declare(agentName: string, manifest: Manifest | undefined): void {
    const agent = this.#agent(agentName);
    agent.manifest = manifest;
    const capabilityIds = new Set(manifest?.capabilities.map(({ id }) => id));
    for (const record of agent.values()) {
      record.declare(manifest?.maxConcurrency, capabilityIds);
      this.#settleAndProbe(record);
    }
    this.#dropIfEmpty(agentName);
  }

  #join(instance: Instance, startsDown: boolean): void {
    const agent = this.#agent(instance.agentName);
    const record = new InstanceRecord(
      instance,
      { probed: this.#probed, startsDown },
      agent.manifest?.maxConcurrency,
    );
    agent.add(record);
    this.#settleAndProbe(record);
  }

  #leave(record: InstanceRecord, reason: LeaveReason): void {
    const { agentName } = record.instance;
    this.#agent(agentName).remove(record);
    this.#alarm.set(record, undefined);
    this.#targets.forget(record);
    this.#teller?.left(record);
    this.#dropIfEmpty(agentName);
    this.#tell(record.leave(reason, this.#now()));
  }

  #dropIfEmpty(agentName: string): void {
    const agent = this.#agents.get(agentName);
    if (agent?.manifest === undefined && agent?.isEmpty) this.#agents.delete(agentName);
  }

  /** After what may also change where or how often it is probed; calls do not. */
  #settleAndProbe(record: InstanceRecord): void {
    this.#targets.renew(record, this.#agents.get(record.instance.agentName)?.manifest);
    this.#settle(record);
  }

  #settle(record: InstanceRecord, now = this.#now()): void {
    const change = record.settle(now);
    this.#agent(record.instance.agentName).changed(record);
    this.#alarm.set(record, record.changesByItselfAtMs(now));
    if (change !== undefined) this.#tell(change);
  }

  #tell(change: StateChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}
