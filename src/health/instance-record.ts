import type { Instance, InstanceCommand, InstanceReport, LeaveReason } from '../registry/instance.js';
import { BREAKER_OPEN_MS } from './breaker.js';
import { Breakers } from './breakers.js';
import type { Finding, ProbesSeen } from './health-news.js';
import { type Circumstances, type HealthOptions, InstanceHealth } from './instance-health.js';
import type { CallOutcome, InstanceState, InstanceView } from './instance-view.js';
import type { ProbeResult } from './probe.js';
import type { StateChange } from './state-change.js';
import { StateHistory } from './state-history.js';

/** One moment: monotonic for durations, wall for people. Both in ms. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

const NOTHING_NEW: readonly Finding[] = [];

/** Why an instance takes work without doubt again, by what it was before. */
const UP_AGAIN: Readonly<Record<Exclude<InstanceState, 'up'>, string>> = {
  degraded: 'it can be reached well again',
  busy: 'it has room again',
  fenced: 'its probes succeed again',
  paused: 'it resumed',
  draining: 'it takes work again',
  needs_auth: 'no login is missing any more',
  down: 'its probes succeed again',
  expired: 'its heartbeats come again',
};

/** One instance in the table: who it is, what was seen of it at its address, and its view. */
export class InstanceRecord {
  readonly #probed: boolean;
  #instance: Instance;
  #health: InstanceHealth;
  #breakers = new Breakers();
  readonly #history = new StateHistory();
  #maxConcurrency: number | undefined;
  /** What is new with it as a whole and not told yet. */
  #news: string | undefined = 'it came';
  #state: InstanceState | null = null;
  #reason = '';
  #since = 0;
  #view: InstanceView | undefined;

  constructor(
    instance: Instance,
    options: Omit<HealthOptions, 'leased'>,
    maxConcurrency: number | undefined,
  ) {
    this.#probed = options.probed;
    this.#instance = instance;
    this.#health = newHealth(instance, options);
    this.#maxConcurrency = maxConcurrency;
  }

  get instance(): Instance {
    return this.#instance;
  }

  get health(): Pick<InstanceHealth, 'fenced' | 'isSuspect' | 'gone' | 'inFlight'> {
    return this.#health;
  }

  get history(): readonly StateChange[] {
    return this.#history.list();
  }

  /** It was edited. */
  edit(instance: Instance): void {
    this.#instance = instance;
  }

  /** Another program, or another address: what was seen until now holds no more, and calls under way there tell nothing. */
  restart(instance: Instance): void {
    const moved = instance.addrVersion !== this.#instance.addrVersion;
    this.#news = moved ? 'it moved to another address' : 'it started again';
    this.#instance = instance;
    this.#health = newHealth(instance, { probed: this.#probed, startsDown: false });
    this.#breakers = new Breakers();
  }

  probed(result: ProbeResult, { monotonicMs }: Moment): void {
    this.#health.probed(result, monotonicMs);
  }

  probesSeen({ monotonicMs }: Moment): ProbesSeen {
    return this.#health.probesSeen(monotonicMs);
  }

  /** All that other replicas have to know of it who know nothing yet. */
  findings(now: Moment): Finding[] {
    const { monotonicMs } = now;
    const missingForMs = this.#health.loginMissingForMs(monotonicMs);
    return [
      { kind: 'probes', probes: this.probesSeen(now) },
      ...(missingForMs > 0 ? [{ kind: 'login' as const, missingForMs }] : []),
      ...this.#breakers.openOnes(monotonicMs).map((open) => ({ kind: 'breaker' as const, ...open })),
    ];
  }

  /** What another replica has seen at its address. */
  learn(finding: Finding, { monotonicMs }: Moment): void {
    if (finding.kind === 'breaker')
      this.#breakers.follow(finding.capabilityId, finding.openForMs, monotonicMs);
    else this.#health.learn(finding, monotonicMs);
  }

  heard(report: InstanceReport): readonly InstanceCommand[] {
    return this.#health.heard(report);
  }

  leaseChanged(holds: boolean, { monotonicMs }: Moment): void {
    this.#health.leaseChanged(holds, monotonicMs);
  }

  /**
   * A call begins. The returned function is told its outcome, once, and says what other replicas do not know without
   * being told.
   */
  begin(
    capabilityId: string,
    { monotonicMs }: Moment,
  ): (call: CallOutcome, end: Moment) => readonly Finding[] {
    const health = this.#health;
    health.callBegan();
    const ended = this.#breakers.begin(capabilityId, monotonicMs);
    return (call, { monotonicMs: endMs }) => {
      const found = health.callEnded(call, endMs);
      const turn = ended(call.outcome, endMs);
      if (health !== this.#health) return NOTHING_NEW;
      if (turn === undefined) return found;
      const openForMs = turn === 'opened' ? BREAKER_OPEN_MS : null;
      return [...found, { kind: 'breaker', capabilityId, openForMs }];
    };
  }

  /** Its agent has a new manifest, or none any more. */
  declare(maxConcurrency: number | undefined, capabilityIds: ReadonlySet<string>): void {
    this.#maxConcurrency = maxConcurrency;
    this.#breakers.keepOnly(capabilityIds);
  }

  /** When its view is another one though nothing happens, in monotonic ms; undefined: never. */
  changesByItselfAtMs({ monotonicMs }: Moment): number | undefined {
    const health = this.#health.changesByItselfAtMs(monotonicMs);
    const breakers = this.#breakers.nextHalfOpenMs(monotonicMs);
    return health === undefined || breakers === undefined ? (health ?? breakers) : Math.min(health, breakers);
  }

  /**
   * After anything that happened to it: a view of before is none any more. Returns the change of its state, if it is
   * one. A new address is one too, from the state to the same state, since who kept the old one must hear of it.
   */
  settle(now: Moment): StateChange | undefined {
    this.#view = undefined;
    const { state, why } = this.#health.condition(this.#circumstances(), now.monotonicMs);
    const from = this.#state;
    const news = this.#news;
    if (state === from && news === undefined) return undefined;
    this.#news = undefined;
    this.#state = state;
    this.#since = now.wallMs;
    this.#reason = state !== 'up' ? why : (news ?? (from === null || from === 'up' ? why : UP_AGAIN[from]));
    const { agentName, instanceId, addrVersion } = this.#instance;
    const change = {
      atMs: now.wallMs,
      agentName,
      instanceId,
      from,
      to: state,
      reason: this.#reason,
      addrVersion,
    };
    this.#history.add(change);
    return change;
  }

  /** It goes: the last of its changes. */
  leave(reason: LeaveReason, { wallMs }: Moment): StateChange {
    const { agentName, instanceId, addrVersion } = this.#instance;
    return { atMs: wallMs, agentName, instanceId, from: this.#state, to: null, reason, addrVersion };
  }

  /** The same object until something happens to it. */
  view(now: Moment): InstanceView {
    this.#view ??= this.#makeView(now);
    return this.#view;
  }

  #makeView({ monotonicMs }: Moment): InstanceView {
    const { agentName, instanceId, address, addrVersion, weight, region, labels, version } = this.#instance;
    return {
      agentName,
      instanceId,
      address,
      addrVersion,
      weight,
      region,
      labels,
      version,
      state: this.#state ?? 'up',
      reason: this.#reason,
      since: this.#since,
      suspect: this.#health.isSuspect(monotonicMs),
      blocked: this.#breakers.blocked(monotonicMs),
      reachability: this.#health.reachability(this.#maxConcurrency, monotonicMs),
      pending: this.#health.pending,
      maxConcurrency: this.#maxConcurrency,
      latencyMs: this.#health.latencyMs,
    };
  }

  #circumstances(): Circumstances {
    return { draining: this.#instance.draining, maxConcurrency: this.#maxConcurrency };
  }
}

function newHealth({ origin }: Instance, options: Omit<HealthOptions, 'leased'>): InstanceHealth {
  return new InstanceHealth({ leased: origin === 'registered', ...options });
}
