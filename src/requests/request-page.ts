import type { DispatchAnswer } from '../wire/dispatch.js';
import type { LiveRequest } from './live-request.js';
import { Settled } from './settled.js';

const NOTHING_TO_SAVE = Promise.resolve();

/** A request that is in memory, with what stands around it there. */
export interface Page {
  readonly live: LiveRequest;
  readonly ended: Settled<DispatchAnswer>;
  /** How many carry it out, follow it, or wait for it. */
  holders: number;
  /** The last save, of which there is one at a time. */
  saved: Promise<unknown>;
}

/** One that is held once. */
export function newPage(live: LiveRequest): Page {
  return { live, ended: new Settled(), holders: 1, saved: NOTHING_TO_SAVE };
}
