import type { InstanceCommand, InstanceReport } from '../registry/instance.js';
import { CallFigures } from './call-figures.js';
import type { Finding, ProbesSeen } from './health-news.js';
import type { CallOutcome, InstanceState } from './instance-view.js';
import { PROBE_TIMEOUT_MS, type ProbeResult } from './probe.js';
import { ProbeStanding } from './probe-standing.js';
import { ProbeWindow } from './probe-window.js';
import { reachabilityFrom } from './reachability.js';

const DEGRADED_UNDER = 0.7;
/** How long an instance that turned a call away for want of a login gets no other. */
export const LOGIN_RETRY_MS = 60_000;
/** How long a suspect that nobody probes is left alone. */
const SUSPECT_MS = 10_000;

/** What its state depends on besides what was seen of it. */
export interface Circumstances {
  /** Told to drain, or draining when it registered. */
  readonly draining: boolean;
  readonly maxConcurrency: number | undefined;
}

/** The state of an instance, and why: a phrase for a person. */
export interface Condition {
  readonly state: InstanceState;
  readonly why: string;
}

export interface HealthOptions {
  /** Whether it has a lease; it holds at first. */
  readonly leased: boolean;
  /** Whether anybody probes it; else only beats and calls tell how it is. */
  readonly probed: boolean;
  /** Probes must say that it is there before it takes work. */
  readonly startsDown: boolean;
}

/** What an answer to a call shows in passing, whatever it answers: that there is a connection. */
const ANSWERED: ReadonlySet<CallOutcome['outcome']> = new Set(['completed', 'refused', 'busy', 'needs_auth']);

const NOTHING_NEW: readonly Finding[] = [];

const NO_REPORT: InstanceReport = { state: 'up', pending: undefined, load: undefined };

/**
 * All that was seen of one instance at one address, and what state follows from it. It knows no clock and has no
 * effects: every time is an argument, monotonic and in ms.
 */
export class InstanceHealth {
  readonly #leased: boolean;
  readonly #probed: boolean;
  #leaseHolds = true;
  readonly #standing: ProbeStanding;
  readonly #probes = new ProbeWindow();
  readonly #calls = new CallFigures();
  /** Calls of other replicas under way. */
  #inFlightElsewhere = 0;
  #rttMs = 0;
  #suspectUntilMs = Number.NEGATIVE_INFINITY;
  /** What a probe was told that found a login missing; until one succeeds. */
  #probeLogin: string | undefined;
  #callLoginUntilMs = Number.NEGATIVE_INFINITY;
  #report = NO_REPORT;
  /** It was told to pause, and has not said since that it resumed. */
  #toldToPause = false;

  constructor({ leased, probed, startsDown }: HealthOptions) {
    this.#leased = leased;
    this.#probed = probed;
    this.#standing = new ProbeStanding(
      startsDown && probed ? 'not probed yet since it came back' : undefined,
    );
  }

  probed(result: ProbeResult, nowMs: number): void {
    switch (result.kind) {
      case 'ok':
        this.#probes.add(true);
        this.#rttMs = result.rttMs;
        this.#standing.succeeded(nowMs);
        this.#suspectUntilMs = Number.NEGATIVE_INFINITY;
        this.#probeLogin = undefined;
        break;
      case 'needs_auth':
        this.#standing.alive();
        this.#suspectUntilMs = Number.NEGATIVE_INFINITY;
        this.#probeLogin = result.detail;
        break;
      case 'failed':
        this.#probes.add(false);
        this.#rttMs = PROBE_TIMEOUT_MS;
        this.#standing.failed(result.detail, nowMs);
        if (this.#standing.current.kind === 'fine') break;
        this.#suspectUntilMs = Number.NEGATIVE_INFINITY;
        this.#probeLogin = undefined;
    }
  }

  /** A heartbeat came. Returns what it is to be told. */
  heard(report: InstanceReport): readonly InstanceCommand[] {
    this.#report = report;
    this.#standing.heartbeatCame();
    const { fenced } = this;
    if (report.state !== 'paused') this.#toldToPause = fenced && report.state === 'up';
    if (!this.#toldToPause) return [];
    // Said again with every heartbeat: who is not told so any more need not stay paused, should we forget.
    return fenced ? ['pause'] : ['resume'];
  }

  leaseChanged(holds: boolean, nowMs: number): void {
    if (!this.#leased) return;
    this.#leaseHolds = holds;
    if (!holds) this.#standing.leaseOver(nowMs);
  }

  callBegan(): void {
    this.#calls.begin();
  }

  /** Returns what other replicas do not know without being told. */
  callEnded(call: CallOutcome, nowMs: number): readonly Finding[] {
    this.#calls.end(call, nowMs);
    const { outcome } = call;
    const found: Finding[] = [];
    if (outcome === 'completed' && this.#callLoginUntilMs > nowMs) {
      found.push(this.#loginMissing(0, nowMs));
    }
    if (outcome === 'needs_auth') found.push(this.#loginMissing(LOGIN_RETRY_MS, nowMs));
    if (outcome === 'unreachable') {
      const wasSuspect = this.isSuspect(nowMs);
      this.#suspectFrom(nowMs);
      if (this.isSuspect(nowMs) && !wasSuspect) found.push({ kind: 'suspect' });
    }
    if (ANSWERED.has(outcome)) {
      if (this.#isInDoubt(nowMs)) found.push({ kind: 'answered' });
      this.#answered();
    }
    return found.length === 0 ? NOTHING_NEW : found;
  }

  /** What another replica has seen. */
  learn(finding: Exclude<Finding, { kind: 'breaker' }>, nowMs: number): void {
    switch (finding.kind) {
      case 'probes':
        this.#adopt(finding.probes, nowMs);
        break;
      case 'suspect':
        this.#suspectFrom(nowMs);
        break;
      case 'answered':
        this.#answered();
        break;
      case 'login':
        this.#loginMissing(finding.missingForMs, nowMs);
        break;
      case 'load':
        this.#inFlightElsewhere = finding.inFlight;
    }
  }

  /** All that its probes have come to, for other replicas. */
  probesSeen(nowMs: number): ProbesSeen {
    return {
      window: this.#probes.seen,
      standing: this.#standing.seen(nowMs),
      rttMs: this.#rttMs,
      login: this.#probeLogin ?? null,
      suspect: this.isSuspect(nowMs),
    };
  }

  /** For how long yet it gets no call, since one found a login missing; 0: it gets some. */
  loginMissingForMs(nowMs: number): number {
    return Math.max(0, this.#callLoginUntilMs - nowMs);
  }

  /** Probes fail and heartbeats come. */
  get fenced(): boolean {
    return this.#standing.current.kind === 'fenced';
  }

  /** A call found no connection, or lost it; nothing has reached it since. */
  isSuspect(nowMs: number): boolean {
    return nowMs < this.#suspectUntilMs;
  }

  /** Whether it cannot be expected to answer. */
  get gone(): boolean {
    return !this.#leaseHolds || this.#standing.current.kind === 'down';
  }

  /** Our own calls under way. */
  get inFlight(): number {
    return this.#calls.inFlight;
  }

  /** The larger of the calls under way, of all replicas, and what it last reported. */
  get pending(): number {
    return Math.max(this.#calls.inFlight + this.#inFlightElsewhere, this.#report.pending ?? 0);
  }

  get latencyMs(): number | undefined {
    return this.#calls.latencyMs;
  }

  /** When its state changes though nothing happens; undefined: never. */
  changesByItselfAtMs(nowMs: number): number | undefined {
    let next = Number.POSITIVE_INFINITY;
    if (this.#callLoginUntilMs > nowMs) next = this.#callLoginUntilMs;
    if (this.#suspectUntilMs > nowMs) next = Math.min(next, this.#suspectUntilMs);
    return Number.isFinite(next) ? next : undefined;
  }

  /** 0..1. */
  reachability(maxConcurrency: number | undefined, nowMs: number): number {
    return reachabilityFrom({
      probeSuccess: this.#probes.success,
      pending: this.pending,
      maxConcurrency,
      rttMs: this.#rttMs,
      errorRate: this.#calls.errorRate(nowMs),
    });
  }

  /** The first that holds, in the order of the section Health in docs/architecture.md. */
  condition({ draining, maxConcurrency }: Circumstances, nowMs: number): Condition {
    if (!this.#leaseHolds) return { state: 'expired', why: 'no heartbeat came within its lease' };
    if (draining || this.#report.state === 'draining') {
      return { state: 'draining', why: 'it finishes what it has and takes nothing new' };
    }
    // A pause that the fence asked for is part of the fence.
    if (this.#report.state === 'paused' && !(this.#toldToPause && this.fenced)) {
      return { state: 'paused', why: this.#toldToPause ? 'it has not resumed yet' : 'it paused by itself' };
    }
    if (this.#probeLogin !== undefined) return { state: 'needs_auth', why: this.#probeLogin };
    if (this.#callLoginUntilMs > nowMs) {
      return { state: 'needs_auth', why: 'a call found a login missing' };
    }
    const standing = this.#standing.current;
    if (standing.kind === 'fenced')
      return { state: 'fenced', why: `${standing.why}, while its heartbeats come` };
    if (standing.kind === 'down') return { state: 'down', why: standing.why };
    const { pending } = this;
    if (maxConcurrency !== undefined && pending >= maxConcurrency) {
      return { state: 'busy', why: `${pending} calls are under way, of at most ${maxConcurrency}` };
    }
    if (this.isSuspect(nowMs)) return { state: 'degraded', why: 'a call found no connection, or lost it' };
    const reachability = this.reachability(maxConcurrency, nowMs);
    if (reachability >= DEGRADED_UNDER) return { state: 'up', why: 'it can take work' };
    return { state: 'degraded', why: `its reachability is ${Math.floor(reachability * 100)} %` };
  }

  /** There is a connection: a call was answered. */
  #answered(): void {
    this.#suspectUntilMs = Number.NEGATIVE_INFINITY;
    // What has a lease can be fenced, which is no death; of what has none, calls alone tell that it lives.
    if (this.#leased) this.#standing.heartbeatCame();
    else this.#standing.alive();
  }

  /** Whether an answer to a call would change anything. */
  #isInDoubt(nowMs: number): boolean {
    const standing = this.#standing;
    return this.isSuspect(nowMs) || (this.#leased ? standing.heedsHeartbeats : standing.isFailing);
  }

  #loginMissing(missingForMs: number, nowMs: number): Finding {
    this.#callLoginUntilMs =
      missingForMs === 0 ? Number.NEGATIVE_INFINITY : Math.max(this.#callLoginUntilMs, nowMs + missingForMs);
    return { kind: 'login', missingForMs };
  }

  #adopt({ window, standing, rttMs, login, suspect }: ProbesSeen, nowMs: number): void {
    this.#probes.adopt(window);
    this.#standing.adopt(standing, nowMs);
    this.#rttMs = rttMs;
    this.#probeLogin = login ?? undefined;
    if (suspect) this.#suspectFrom(nowMs);
    else this.#suspectUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** Until something reaches it. Without probes only a call can, and it gets one only when it is no suspect any more. */
  #suspectFrom(nowMs: number): void {
    if (this.#standing.current.kind !== 'fine') return;
    this.#suspectUntilMs = this.#probed ? Number.POSITIVE_INFINITY : nowMs + SUSPECT_MS;
  }
}
