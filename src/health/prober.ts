import type { Clock } from '../clock.js';
import { RunningCalls } from '../running-calls.js';
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
/** Targets that come together are probed one such time after the other, on the average. A single one is probed at once. */
const FIRST_PROBES_APART_MS = 5;
/** Between two probes of a target, however often it is wanted: three failures must not happen within a hiccup. */
const LEAST_APART_MS = 1_000;

/** One target, and where it is in its round: waiting for its time, in line, or being probed. */
interface Entry {
  readonly key: string;
  target: ProbeTarget;
  /** When its last probe began, monotonic; undefined before the first. */
  startedAt: number | undefined;
  running: boolean;
  /** Wanted at once while a probe was running, which says nothing of what came after its beginning. */
  again: boolean;
  stopTimer: () => void;
}

export interface ProberParts {
  readonly clock: Clock;
  /** Is closed with the prober. */
  readonly client: ProbeClient;
  readonly observer: ProbeObserver;
  /** 0..1, for the jitter. */
  readonly random: () => number;
}

function keyOf({ agentName, instanceId }: Pick<ProbeTarget, 'agentName' | 'instanceId'>): string {
  return `${agentName}/${instanceId}`;
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
    this.#stalls = new StallWatch(clock);
    this.#fleet = new FleetReachability(clock, (report) => observer.reachabilityChanged(report));
  }

  probe(target: ProbeTarget): void {
    if (this.#closing !== undefined) return;
    const key = keyOf(target);
    const known = this.#entries.get(key);
    if (known?.target.url === target.url) {
      // Another interval holds from the next probe on.
      known.target = target;
      return;
    }
    if (known !== undefined) this.#remove(known);
    const entry = { key, target, startedAt: undefined, running: false, again: false, stopTimer: () => {} };
    this.#entries.set(key, entry);
    this.#neverProbed += 1;
    const spreadMs = Math.min(target.everyMs, (this.#neverProbed - 1) * FIRST_PROBES_APART_MS);
    this.#probeLater(entry, this.#random() * spreadMs);
  }

  probeNow(agentName: string, instanceId: string): void {
    const entry = this.#entries.get(keyOf({ agentName, instanceId }));
    if (entry === undefined) return;
    if (entry.running) entry.again = true;
    else if (this.#line.has(entry)) this.#line.join(entry, true);
    else this.#probeSoon(entry);
  }

  forget(agentName: string, instanceId: string): void {
    const entry = this.#entries.get(keyOf({ agentName, instanceId }));
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
    entry.stopTimer();
    this.#line.abandon(entry);
  }

  #isCurrent(entry: Entry): boolean {
    return this.#entries.get(entry.key) === entry;
  }

  #probeLater(entry: Entry, delayMs: number, urgent = false): void {
    entry.stopTimer();
    entry.stopTimer = this.#clock.after(Math.max(0, delayMs), () => this.#line.join(entry, urgent));
  }

  /** As soon as it may be probed again. */
  #probeSoon(entry: Entry): void {
    this.#probeLater(entry, this.#untilAfterLast(entry, LEAST_APART_MS), true);
  }

  #probeNextTime(entry: Entry): void {
    const intervalMs = entry.target.everyMs * (1 - PROBE_JITTER + 2 * PROBE_JITTER * this.#random());
    this.#probeLater(entry, this.#untilAfterLast(entry, intervalMs));
  }

  #untilAfterLast({ startedAt }: Entry, intervalMs: number): number {
    return startedAt === undefined ? 0 : startedAt + intervalMs - this.#clock.monotonic();
  }

  #start(entry: Entry): void {
    if (entry.startedAt === undefined) this.#neverProbed -= 1;
    const startedAt = this.#clock.monotonic();
    entry.startedAt = startedAt;
    entry.running = true;
    void this.#running.track(this.#run(entry, startedAt));
  }

  async #run(entry: Entry, startedAt: number): Promise<void> {
    const result = await this.#client.probe(entry.target.url);
    if (this.#isCurrent(entry) && this.#counts(entry, result, startedAt)) {
      const { agentName, instanceId } = entry.target;
      this.#observer.probed(agentName, instanceId, result);
    }
    // Whoever was told may have forgotten it.
    if (this.#isCurrent(entry)) this.#plan(entry);
    if (this.#closing === undefined) this.#line.leave();
  }

  #plan(entry: Entry): void {
    entry.running = false;
    if (entry.again) this.#probeSoon(entry);
    else this.#probeNextTime(entry);
    entry.again = false;
  }

  #counts({ key, target }: Entry, result: ProbeResult, startedAt: number): boolean {
    if (result.kind === 'failed' && this.#stalls.stalledSince(startedAt)) return false;
    return this.#fleet.note(key, target, result);
  }
}
