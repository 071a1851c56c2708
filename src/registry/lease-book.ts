import { type Clock, STALL_MS } from '../clock.js';

/** How often it is looked which leases are over. */
const CHECK_EVERY_MS = 1_000;

/** How long what has no lease any more stays listed. */
const LISTED_MS = 600_000;

interface Lease {
  /** `over`: still listed; `abandoned`: for so long that nobody is waited for any more. */
  state: 'held' | 'over' | 'abandoned';
  /** When this state ends by itself, in monotonic ms. */
  endsAt: number;
}

interface LeaseEvents<Holder> {
  /** A lease is over. */
  over(holder: Holder): void;
  /** These have been without one for ten minutes. Told once; `keep` gives one of them another ten. */
  abandoned(holders: readonly Holder[]): void;
}

/** All leases on one timer. A lease that ends is noticed within a second. */
export class LeaseBook<Holder> {
  readonly #clock: Clock;
  readonly #events: LeaseEvents<Holder>;
  readonly #leases = new Map<Holder, Lease>();
  #dueAt = 0;
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, events: LeaseEvents<Holder>) {
    this.#clock = clock;
    this.#events = events;
  }

  /** Begins a lease, or lets it begin anew. Returns whether the one before was over. */
  grant(holder: Holder, leaseMs: number): boolean {
    this.#forgive();
    const before = this.#leases.get(holder);
    this.#leases.set(holder, { state: 'held', endsAt: this.#clock.monotonic() + leaseMs });
    if (this.#cancel === undefined) this.#lookAgain();
    return before !== undefined && before.state !== 'held';
  }

  isHeld(holder: Holder): boolean {
    return this.#leases.get(holder)?.state === 'held';
  }

  isAbandoned(holder: Holder): boolean {
    return this.#leases.get(holder)?.state === 'abandoned';
  }

  /** How much is left of it in ms; 0 where it is over. */
  leftMs(holder: Holder): number {
    const lease = this.#leases.get(holder);
    return lease?.state === 'held' ? Math.max(0, Math.round(lease.endsAt - this.#clock.monotonic())) : 0;
  }

  /** Lists what was abandoned for another ten minutes. */
  keep(holder: Holder): void {
    this.#leases.set(holder, { state: 'over', endsAt: this.#clock.monotonic() + LISTED_MS });
  }

  /** Forgets a holder; nothing more is told of it. */
  end(holder: Holder): void {
    this.#leases.delete(holder);
    if (this.#leases.size === 0) this.close();
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #lookAgain(): void {
    this.#dueAt = this.#clock.monotonic() + CHECK_EVERY_MS;
    this.#cancel = this.#clock.after(CHECK_EVERY_MS, () => this.#look());
  }

  /** Adds the time in which this process stood still, and heard nobody, to all leases that ran then. */
  #forgive(): void {
    const lateMs = this.#clock.monotonic() - this.#dueAt;
    if (this.#cancel === undefined || lateMs <= STALL_MS) return;
    for (const lease of this.#leases.values()) lease.endsAt += lateMs;
    this.#dueAt += lateMs;
  }

  #look(): void {
    this.#forgive();
    const now = this.#clock.monotonic();
    const over: Holder[] = [];
    const abandoned: Holder[] = [];
    for (const [holder, lease] of this.#leases) {
      if (lease.state === 'abandoned' || lease.endsAt > now) continue;
      (lease.state === 'held' ? over : abandoned).push(holder);
      lease.state = lease.state === 'held' ? 'over' : 'abandoned';
      lease.endsAt = now + LISTED_MS;
    }
    this.#lookAgain();
    for (const holder of over) this.#events.over(holder);
    if (abandoned.length > 0) this.#events.abandoned(abandoned);
  }
}
