import type { Clock } from '../clock.js';
import { instanceKey } from '../registry/instance.js';
import { RunningCalls } from '../running-calls.js';
import { BatchTimer } from './batch-timer.js';
import { FleetReachability } from './fleet-reachability.js';
import {
  PROBE_JITTER,
  type ProbeClient,
  type ProbeFollower,
  type ProbeObserver,
  type ProbeResult,
  type ProbeTarget,
  type ReachabilityReport,
} from './probe.js';
import { ProbeLine } from './probe-line.js';
import { StallWatch } from './stall-watch.js';

/** Probes that run at once; the others wait. */
export const PROBES_AT_ONCE = 64;
/** Between the first probes of targets that come together. A single one is probed at once. */
const FIRST_PROBES_APART_MS = 5;
/** Between two probes of a target, however often it is wanted: three failures must not happen within a hiccup. */
const LEAST_APART_MS = 1_000;

/** One target, which waits for its time, stands in line or is being probed. */
interface Entry {
  readonly key: string;
  target: ProbeTarget;
  /** When its last probe began, monotonic; undefined before the first. */
  startedAt: number | undefined;
  running: boolean;
  /** Wanted at once since its last probe began, which says nothing of what came after. */
  urgent: boolean;
}

export interface ProberParts {
  readonly clock: Clock;
  /** Is closed with the prober. */
  readonly client: ProbeClient;
  readonly observer: ProbeObserver;
  /** 0..1, for the jitter. */
  readonly random: () => number;
}

/**
 * Probes a changing set of targets, each in its own interval and never twice at the same time, and tells what counts:
 * not what failed while our event loop stood still, and not what our own network is at fault for.
 */
export class Prober implements ProbeFollower {
  readonly #clock: Clock;
  readonly #client: ProbeClient;
  readonly #observer: ProbeObserver;
  readonly #random: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #times: BatchTimer<Entry>;
  readonly #line = new ProbeLine<Entry>(PROBES_AT_ONCE, (entry) => this.#start(entry));
  readonly #running = new RunningCalls();
  readonly #stalls: StallWatch;
  readonly #fleet: FleetReachability;
  #neverProbed = 0;
  #closing: Promise<void> | undefined;

  constructor({ clock, client, observer, random }: ProberParts) {
    this.#clock = clock;
    this.#client = client;
    this.#observer = observer;
    this.#random = random;
    this.#times = new BatchTimer(clock, (entry) => this.#line.join(entry, entry.urgent));
    this.#stalls = new StallWatch(clock);
    this.#fleet = new FleetReachability(clock, (report) => observer.reachabilityChanged(report));
  }

  probe(target: ProbeTarget): void {
    if (this.#closing !== undefined) return;
    const key = instanceKey(target);
    const known = this.#entries.get(key);
    if (known?.target.url === target.url) {
      // Another interval holds from the next probe on.
      known.target = target;
      return;
    }
    if (known !== undefined) this.#remove(known);
    const entry = { key, target, startedAt: undefined, running: false, urgent: false };
    this.#entries.set(key, entry);
    this.#neverProbed += 1;
    this.#times.set(entry, ((this.#neverProbed - 1) * FIRST_PROBES_APART_MS) % target.everyMs);
  }

  probeNow(agentName: string, instanceId: string): void {
    const entry = this.#entries.get(instanceKey({ agentName, instanceId }));
    if (entry === undefined) return;
    entry.urgent = true;
    if (this.#line.has(entry)) this.#line.join(entry, true);
    else if (!entry.running) this.#plan(entry);
  }

  forget(agentName: string, instanceId: string): void {
    const entry = this.#entries.get(instanceKey({ agentName, instanceId }));
    if (entry !== undefined) this.#remove(entry);
  }

  /** How all targets can be reached, for a person. */
  get reachability(): ReachabilityReport {
    return this.#fleet.report;
  }

  /** Ends probes that run, and tells nothing more. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const entry of this.#entries.values()) this.#stop(entry);
    this.#entries.clear();
    this.#times.close();
    this.#stalls.close();
    this.#client.close();
    await this.#running.ended();
  }

  #remove(entry: Entry): void {
    this.#stop(entry);
    this.#entries.delete(entry.key);
    if (entry.startedAt === undefined) this.#neverProbed -= 1;
    this.#fleet.forget(entry.key);
  }

  #stop(entry: Entry): void {
    this.#times.cancel(entry);
    this.#line.abandon(entry);
  }

  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  /** Its next probe: in its turn, or as soon as it may be. */
  #plan(entry: Entry): void {
    const { urgent, startedAt, target } = entry;
    const intervalMs = target.everyMs * (1 - PROBE_JITTER + 2 * PROBE_JITTER * this.#random());
    const now = this.#clock.monotonic();
    const delayMs = (startedAt ?? Number.NEGATIVE_INFINITY) + (urgent ? LEAST_APART_MS : intervalMs) - now;
    if (urgent && delayMs <= 0) {
      this.#times.cancel(entry);
      this.#line.join(entry, urgent);
    } else {
      this.#times.set(entry, delayMs);
    }
  }

  #start(entry: Entry): void {
    if (entry.startedAt === undefined) this.#neverProbed -= 1;
    const startedAt = this.#clock.monotonic();
    entry.startedAt = startedAt;
    entry.running = true;
    entry.urgent = false;
    void this.#running.track(this.#run(entry, startedAt));
  }

  async #run(entry: Entry, startedAt: number): Promise<void> {
    const result = await this.#client.probe(entry.target.url);
    if (this.#isCurrent(entry) && this.#counts(entry, result, startedAt)) {
      const { agentName, instanceId } = entry.target;
      this.#observer.probed(agentName, instanceId, result);
    }
    entry.running = false;
    // Whoever was told may have forgotten it.
    if (this.#isCurrent(entry)) this.#plan(entry);
    if (this.#closing === undefined) this.#line.leave();
  }

  #counts({ key, target }: Entry, result: ProbeResult, startedAt: number): boolean {
    if (result.kind === 'failed' && this.#stalls.stalledSince(startedAt)) return false;
    return this.#fleet.note(key, target, result);
  }
}
