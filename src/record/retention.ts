import type { Clock } from '../clock.js';
import { LIMITS } from '../wire/limits.js';
import type { RecordStore } from './record-store.js';
import { PERIODS } from './trend-store.js';

/** How long decisions are kept: as far back as they can be asked for. */
const KEPT_MS = LIMITS.exportHours * PERIODS.hour;

/** Lets go of some of the decisions that are too old; true where more is left to do. */
export function pruneDecisions(store: RecordStore, team: string, clock: Clock): Promise<boolean> {
  return store.prune(team, clock.now() - KEPT_MS);
}
