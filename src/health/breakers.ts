import { Breaker, type BreakerTurn } from './breaker.js';
import type { CallOutcome } from './instance-view.js';

/** Where there are fewer, nobody looks for idle ones. */
const FEW = 16;

const NONE: ReadonlySet<string> = new Set();

/** The breakers of one instance: one a capability, from its first call on. Those that have nothing to tell are forgotten when there are many. */
export class Breakers {
  readonly #breakers = new Map<string, Breaker>();
  /** Those that are not closed: few, and the only ones that views ask about. */
  readonly #tripped = new Map<string, Breaker>();
  /** With so many it is time to look for idle ones. */
  #full = FEW;

  get size(): number {
    return this.#breakers.size;
  }

  /** A call begins. The returned function is told its outcome, once, and says what became of the breaker by it. */
  begin(
    capabilityId: string,
    nowMs: number,
  ): (outcome: CallOutcome['outcome'], nowMs: number) => BreakerTurn {
    const breaker = this.#of(capabilityId, nowMs);
    const end = breaker.begin(nowMs);
    return (outcome, endMs) => {
      const turn = end(outcome, endMs);
      if (this.#breakers.get(capabilityId) !== breaker) return undefined;
      this.#sort(capabilityId, breaker);
      return turn;
    };
  }

  /** That of another replica has opened for so long, or closed (null). */
  follow(capabilityId: string, openForMs: number | null, nowMs: number): void {
    const breaker = openForMs === null ? this.#breakers.get(capabilityId) : this.#of(capabilityId, nowMs);
    if (breaker === undefined) return;
    breaker.follow(openForMs, nowMs);
    this.#sort(capabilityId, breaker);
  }

  /** Those that are open, and for how long yet, in ms. */
  openOnes(nowMs: number): { readonly capabilityId: string; readonly openForMs: number }[] {
    return [...this.#tripped]
      .map(([capabilityId, { halfOpenAtMs = nowMs }]) => ({ capabilityId, openForMs: halfOpenAtMs - nowMs }))
      .filter(({ openForMs }) => openForMs > 0);
  }

  /** The capabilities that calls are to stay away from now. */
  blocked(nowMs: number): ReadonlySet<string> {
    if (this.#tripped.size === 0) return NONE;
    const blocking = [...this.#tripped].filter(([, breaker]) => breaker.blocks(nowMs));
    return blocking.length === 0 ? NONE : new Set(blocking.map(([capabilityId]) => capabilityId));
  }

  /** When the next one that is open lets a trial through. */
  nextHalfOpenMs(nowMs: number): number | undefined {
    let next: number | undefined;
    for (const { halfOpenAtMs } of this.#tripped.values()) {
      if (halfOpenAtMs === undefined || halfOpenAtMs <= nowMs) continue;
      next = Math.min(next ?? halfOpenAtMs, halfOpenAtMs);
    }
    return next;
  }

  /** Forgets all capabilities but these. */
  keepOnly(capabilityIds: ReadonlySet<string>): void {
    for (const capabilityId of this.#breakers.keys()) {
      if (!capabilityIds.has(capabilityId)) this.#forget(capabilityId);
    }
  }

  #sort(capabilityId: string, breaker: Breaker): void {
    if (breaker.isClosed) this.#tripped.delete(capabilityId);
    else this.#tripped.set(capabilityId, breaker);
  }

  #of(capabilityId: string, nowMs: number): Breaker {
    const known = this.#breakers.get(capabilityId);
    if (known !== undefined) return known;
    if (this.#breakers.size >= this.#full) {
      for (const [id, breaker] of this.#breakers) if (breaker.isIdle(nowMs)) this.#forget(id);
      this.#full = Math.max(FEW, this.#breakers.size * 2);
    }
    const fresh = new Breaker();
    this.#breakers.set(capabilityId, fresh);
    return fresh;
  }

  #forget(capabilityId: string): void {
    this.#breakers.delete(capabilityId);
    this.#tripped.delete(capabilityId);
  }
}
