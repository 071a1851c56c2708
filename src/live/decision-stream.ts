import { findsIn, foldedIntent, type IntentPattern } from '../manifest/intent-match.js';
import type { DecisionMade, DecisionObserver } from '../routing/decision-observer.js';
import type { DecisionEvent, WatchedDecision } from '../wire/live.js';
import type { RouteRequest } from '../wire/route.js';
import { DecisionQueue } from './decision-queue.js';
import { LiveReaders } from './live-reader.js';
import { fieldTypesOf } from './payload-types.js';

interface Watcher {
  /** Of intents in folded form. Undefined: every decision is wanted, also one without an intent. */
  readonly pattern: IntentPattern | undefined;
  readonly queue: DecisionQueue;
}

function watchedOf({ atMs, request, decision, explained = decision }: DecisionMade): WatchedDecision {
  return {
    routeId: decision.routeId,
    at: new Date(atMs).toISOString(),
    intent: request.intent ?? null,
    payloadFields: fieldTypesOf(request.payload),
    outcome: decision.outcome,
    reason: decision.reason,
    targetAgent: decision.targetAgent,
    capabilityId: decision.capabilityId,
    instanceId: decision.instanceId,
    confidence: decision.confidence,
    threshold: decision.threshold,
    candidates: explained.candidates,
    timingMs: decision.timingMs,
  };
}

/** Every decision, live, for whoever watches. Watchers take from queues of their own, so routing waits for none. */
export class DecisionStream implements DecisionObserver {
  readonly #watchers = new Set<Watcher>();
  readonly #readers = new LiveReaders<DecisionEvent>();

  wantsExplained(request: RouteRequest): boolean {
    return this.#wanting(request).length > 0;
  }

  decided(made: DecisionMade): void {
    const wanting = this.#wanting(made.request);
    if (wanting.length === 0) return;
    const watched = watchedOf(made);
    for (const { queue } of wanting) queue.add(watched);
    this.#readers.wakeAll();
  }

  /**
   * Decisions from now on whose intent fits the pattern; without one, all. They are kept for the watcher until it
   * ends, by its signal or by leaving its loop.
   * @throws ReachError OVERLOADED
   */
  watch(pattern: Watcher['pattern'], signal?: AbortSignal): AsyncIterable<DecisionEvent> {
    const watcher: Watcher = { pattern, queue: new DecisionQueue() };
    const forget = () => void this.#watchers.delete(watcher);
    const reader = this.#readers.open(() => watcher.queue.take(), signal, forget);
    if (!signal?.aborted) this.#watchers.add(watcher);
    return reader;
  }

  /** Ends every watcher's loop. */
  close(): void {
    this.#readers.endAll();
  }

  /** Who wants a decision about a request. The intent, which may be long, is folded once for all of them. */
  #wanting({ intent }: RouteRequest): Watcher[] {
    if (this.#watchers.size === 0) return [];
    const folded = intent === undefined ? undefined : foldedIntent(intent);
    return [...this.#watchers].filter(
      ({ pattern }) => pattern === undefined || (folded !== undefined && findsIn(pattern, folded)),
    );
  }
}
