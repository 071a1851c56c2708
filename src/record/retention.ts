import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import type { RecordStore } from './record-store.js';
import { PERIODS } from './trend-store.js';

const LOOKED_EVERY_MS = 60_000;
/** How long decisions are kept: as far back as they can be asked for. */
const KEPT_MS = LIMITS.exportHours * PERIODS.hour;

/** Lets go of some of the decisions that are too old; true where more is left to do. */
export function pruneDecisions(store: RecordStore, team: string, clock: Clock): Promise<boolean> {
  return store.prune(team, clock.now() - KEPT_MS);
}

/**
 * Prunes every minute, slice by slice until none is left: between two, others have their turn at the store.
 * The returned function ends it.
 */
export function keepPruned(
  prunes: readonly (() => Promise<boolean>)[],
  clock: Clock,
  report: (message: string) => void,
): () => Promise<void> {
  let stopTimer = () => {};
  let isStopped = false;
  let round = Promise.resolve();
  const run = async () => {
    for (const prune of prunes) while (!isStopped && (await prune()));
  };
  const look = () => {
    round = run()
      .catch((thrown: unknown) => report(`Old records cannot be removed: ${asReachError(thrown).message}`))
      .then(wait);
  };
  const wait = () => {
    if (!isStopped) stopTimer = clock.after(LOOKED_EVERY_MS, look);
  };
  wait();
  return async () => {
    isStopped = true;
    stopTimer();
    await round;
  };
}
