import type { Clock } from '../clock.js';
import { PROBE_JITTER, type ProbeResult, type ProbeTarget, type ReachabilityReport } from './probe.js';

/** Fewer than this say nothing of a fleet. */
const LEAST_FAILING = 5;

/** What the last probe of a target came to. */
type Finding = 'ok' | 'needs_auth' | 'error' | 'unreachable';

/** How much is wrong: with nearly nothing, with most of the fleet, or with our own network. */
type Verdict = 'fine' | 'many_out' | 'own_network';

function findingOf(result: ProbeResult): Finding {
  if (result.kind !== 'failed') return result.kind;
  return result.by === 'network' ? 'unreachable' : 'error';
}

/** `5 cannot be reached`, and nothing for none. */
function some(count: number, what: string): string[] {
  return count === 0 ? [] : [`${count} ${what}`];
}

/**
 * What all probes together say. Where most of a fleet goes silent at once, it is more likely our own network that is
 * cut than all of them: such failures must not count, or we would take everybody out. And whatever takes out more than
 * half must be told.
 */
export class FleetReachability {
  readonly #clock: Clock;
  readonly #onChange: (report: ReachabilityReport) => void;
  readonly #findings = new Map<string, Finding>();
  readonly #counts: Record<Finding, number> = { ok: 0, needs_auth: 0, error: 0, unreachable: 0 };
  /** Those that answered until a round ago, and when their probes began to fail. */
  readonly #failing = new Map<string, number>();
  #verdict: Verdict = 'fine';

  /** `onChange`: told when another thing is wrong than before, or nothing any more. Must not throw. */
  constructor(clock: Clock, onChange: (report: ReachabilityReport) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
  }

  /** Takes note of a result. False where it is a fault of our own network, and must not count. */
  note(key: string, target: ProbeTarget, result: ProbeResult): boolean {
    const finding = findingOf(result);
    const answeredBefore = this.#answers(key);
    this.#replace(key, finding);
    if (finding !== 'unreachable') this.#failing.delete(key);
    else if (answeredBefore) this.#failing.set(key, this.#clock.monotonic());
    this.#judge();
    if (this.#verdict === 'own_network') return finding !== 'unreachable';
    this.#endRound(key, target);
    return true;
  }

  forget(key: string): void {
    this.#replace(key, undefined);
    this.#failing.delete(key);
    this.#judge();
  }

  get report(): ReachabilityReport {
    return { state: this.#verdict === 'fine' ? 'ok' : 'degraded', detail: this.#detail() };
  }

  get #answering(): number {
    return this.#counts.ok + this.#counts.needs_auth + this.#counts.error;
  }

  #answers(key: string): boolean {
    const finding = this.#findings.get(key);
    return finding !== undefined && finding !== 'unreachable';
  }

  #replace(key: string, finding: Finding | undefined): void {
    const before = this.#findings.get(key);
    if (before !== undefined) this.#counts[before] -= 1;
    if (finding === undefined) {
      this.#findings.delete(key);
    } else {
      this.#findings.set(key, finding);
      this.#counts[finding] += 1;
    }
  }

  #judge(): void {
    const verdict = this.#verdictNow();
    if (verdict === this.#verdict) return;
    this.#verdict = verdict;
    this.#onChange(this.report);
  }

  #verdictNow(): Verdict {
    const answering = this.#answering;
    if (this.#failing.size >= LEAST_FAILING && this.#failing.size > answering) return 'own_network';
    const out = this.#findings.size - this.#counts.ok;
    return out >= LEAST_FAILING && out > this.#counts.ok ? 'many_out' : 'fine';
  }

  /** Probed again in its turn and failed again, so all others were probed as well: it is really gone, and none of those that answered. */
  #endRound(key: string, { everyMs }: ProbeTarget): void {
    const since = this.#failing.get(key) ?? Number.POSITIVE_INFINITY;
    if (this.#clock.monotonic() - since >= everyMs * (1 - PROBE_JITTER)) this.#failing.delete(key);
  }

  #detail(): string {
    const probed = this.#findings.size;
    if (this.#verdict === 'own_network') {
      const failing = this.#failing.size;
      return `${failing} of the ${failing + this.#answering} instances that answered probes until now cannot be reached any more: our own network is taken to be at fault, and nobody is taken out for it.`;
    }
    if (probed === 0) return 'No instance has been probed.';
    const { ok, unreachable, error, needs_auth: needsAuth } = this.#counts;
    const others = [
      ...some(unreachable, 'cannot be reached'),
      ...some(error, 'answer with an error'),
      ...some(needsAuth, 'ask for a login'),
    ];
    const answering = `${ok} of ${probed} probed instances answer well`;
    return others.length === 0 ? `${answering}.` : `${answering}; ${others.join(', ')}.`;
  }
}
