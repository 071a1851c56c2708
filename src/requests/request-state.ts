import type { FINAL_STATES } from '../wire/dispatch.js';
import type { OPEN_STATES } from '../wire/requests.js';

export type OpenState = (typeof OPEN_STATES)[number];
export type FinalState = (typeof FINAL_STATES)[number];
export type RequestState = OpenState | FinalState;

const ENDS = ['completed', 'failed', 'cancelled', 'handed_off'] as const;

/**
 * Which state may follow which. `queued` is the wait to be carried out and the wait for a slot; with an attempt that
 * failed a request goes on to the next delivery, to `queued` for a slot, or to `retry_waiting`.
 */
const NEXT: Readonly<Record<RequestState, readonly RequestState[]>> = {
  queued: ['routing', 'delivered', 'retry_waiting', ...ENDS],
  routing: ['queued', 'delivered', ...ENDS],
  delivered: ['acknowledged', 'processing', 'delivered', 'queued', 'retry_waiting', ...ENDS],
  acknowledged: ['processing', 'delivered', 'queued', 'retry_waiting', ...ENDS],
  processing: ['delivered', 'queued', 'retry_waiting', ...ENDS],
  retry_waiting: ['routing', 'queued', 'delivered', ...ENDS],
  completed: [],
  failed: [],
  cancelled: [],
  handed_off: [],
};

export function isFinal(state: RequestState): state is FinalState {
  return NEXT[state].length === 0;
}

/** Whether an agent has the work, or may have it. */
export function isWithAgent(state: RequestState): boolean {
  return state === 'delivered' || state === 'acknowledged' || state === 'processing';
}

/** Whether it waits for another way to be done. */
export function isSetback(state: RequestState): boolean {
  return state === 'queued' || state === 'retry_waiting';
}

export function mayFollow(from: RequestState, to: RequestState): boolean {
  return NEXT[from].includes(to);
}
