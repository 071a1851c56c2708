import type { ChangeStream, Changes } from '../live/change-stream.js';
import type { DecisionStream } from '../live/decision-stream.js';
import { readIntentPattern } from '../manifest/intent-pattern.js';
import type { ChangeFilter, DecisionEvent } from '../wire/live.js';
import type { OpenCalls } from './open-calls.js';

export interface FollowOptions {
  /** Of an event that was told before: what happened since is told first, or as a gap where it no longer can be. */
  readonly lastEventId?: string;
  /** Ends the loop. */
  readonly signal?: AbortSignal;
}

export interface WatchFilter {
  /** A part of the intents that are meant, or a `/regex/` that fits them; case does not count. */
  readonly intentPattern?: string;
}

/** What happens, while it happens. A loop over it ends by its signal, when it is left, and when the service closes. */
export interface LiveCalls {
  /**
   * The changes of instances from now on, merged within 250 ms.
   * @throws ReachError OVERLOADED, NOT_READY, CLOSED
   */
  changes(filter?: ChangeFilter, options?: FollowOptions): Changes;
  /**
   * The decisions from now on, each with every candidate. They are kept from the call on, 1,000 at most: a slower
   * loop is told how many it lost.
   * @throws ReachError INVALID_REQUEST for a pattern that is no fast one, OVERLOADED, NOT_READY, CLOSED
   */
  watch(filter?: WatchFilter, options?: Pick<FollowOptions, 'signal'>): AsyncIterable<DecisionEvent>;
}

interface LiveParts {
  readonly changeStream: ChangeStream;
  readonly decisionStream: DecisionStream;
}

export function liveCalls({ changeStream, decisionStream }: LiveParts, calls: OpenCalls): LiveCalls {
  return {
    changes(filter = {}, options = {}) {
      calls.refuseUnlessOpen();
      return changeStream.follow(filter, options);
    },

    watch({ intentPattern } = {}, { signal } = {}) {
      calls.refuseUnlessOpen();
      const pattern =
        intentPattern === undefined ? undefined : readIntentPattern(intentPattern, '/intent_pattern');
      return decisionStream.watch(pattern, signal);
    },
  };
}
