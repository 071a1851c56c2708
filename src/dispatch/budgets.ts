import type { Capability } from '../manifest/schema.js';
import type { RequestLife } from '../requests/request-life.js';
import type { DispatchRequest, Lane } from '../wire/dispatch.js';
import type { Decision } from '../wire/route.js';

type Deadlines = DispatchRequest['deadlines'];

const SEEK_MS: Readonly<Record<Lane, number>> = { P0: 150, P1: 2_000, P2: 30_000 };
const EXECUTE_MS: Readonly<Record<Lane, number>> = { P0: 5_000, P1: 5_000, P2: 30_000 };

/** Of work that nobody waits for. */
const SEEK_LATER_MS = 600_000;

/** How long it may take to find out who does it, in ms. */
export function seekBudgetMs(lane: Lane, deadlines: Deadlines, mode: RequestLife['mode']): number {
  return deadlines?.seekMs ?? (mode === 'async' ? SEEK_LATER_MS : SEEK_MS[lane]);
}

/** How long the work may take, all attempts together, in ms: request > rule > capability > lane. */
export function executeBudgetMs(
  lane: Lane,
  deadlines: Deadlines,
  { timeoutMs }: Pick<Decision, 'timeoutMs'>,
  { deadlineMs }: Capability,
): number {
  return deadlines?.executeMs ?? timeoutMs ?? deadlineMs ?? EXECUTE_MS[lane];
}
