import type { Clock } from './clock.js';
import { asReachError } from './errors.js';

/** Work that is done again and again, each time so long after the last time has ended. */
export class Rounds {
  readonly #round: () => Promise<void>;
  readonly #everyMs: number;
  readonly #clock: Clock;
  #underWay: Promise<void> = Promise.resolve();
  #stopTimer: () => void = () => {};
  #isClosed = false;

  /** `round` must not reject. */
  constructor(round: () => Promise<void>, everyMs: number, clock: Clock) {
    this.#round = round;
    this.#everyMs = everyMs;
    this.#clock = clock;
  }

  /** For a round that takes long: nobody waits for the rest of it any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The first one at once. */
  begin(): void {
    this.#underWay = this.#round().then(() => this.beginLater());
  }

  /** The first one after the time between two. */
  beginLater(): void {
    if (!this.#isClosed) this.#stopTimer = this.#clock.after(this.#everyMs, () => this.begin());
  }

  /** None is begun any more; resolves when the one under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopTimer();
    await this.#underWay;
  }
}

const PRUNED_EVERY_MS = 60_000;

/**
 * Prunes every minute, slice by slice until none is left: between two, others have their turn at the store. `what` is
 * named to `report` where it fails. The returned function ends it.
 */
export function keepPruned(
  what: string,
  prunes: readonly (() => Promise<boolean>)[],
  clock: Clock,
  report: (message: string) => void,
): () => Promise<void> {
  const prune = async () => {
    try {
      for (const each of prunes) while (!rounds.isClosed && (await each()));
    } catch (thrown) {
      report(`Old ${what} cannot be removed: ${asReachError(thrown).message}`);
    }
  };
  const rounds = new Rounds(prune, PRUNED_EVERY_MS, clock);
  rounds.beginLater();
  return () => rounds.close();
}
