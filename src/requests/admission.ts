import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { DispatchRequest, Lane } from '../wire/dispatch.js';
import { bodyHashOf } from './body-hash.js';
import { LiveRequest } from './live-request.js';
import type { RequestBook } from './request-book.js';
import type { RequestFacts } from './request-facts.js';
import type { RequestLife } from './request-life.js';
import type { StoredRequest } from './request-store.js';

export interface AdmissionParts {
  readonly book: RequestBook;
  readonly clock: Clock;
  /** How long it may take to find somebody who does it, in ms. */
  readonly seekBudgetMs: (
    lane: Lane,
    deadlines: DispatchRequest['deadlines'],
    mode: RequestLife['mode'],
  ) => number;
}

/** A request, and whether it came for the first time: a live one, which is held, or one that has ended. */
export type Admitted =
  | { readonly isNew: boolean; readonly request: LiveRequest }
  | { readonly isNew: false; readonly request: StoredRequest };

/** Lets requests in: each id once, whoever comes with it, and however many at a time. */
export class Admission {
  readonly #parts: AdmissionParts;

  constructor(parts: AdmissionParts) {
    this.#parts = parts;
  }

  /** One without an id of its caller's who waits for it: it is new, and nothing of it is kept. */
  pass(request: DispatchRequest, traceparent: string | undefined): LiveRequest {
    const facts = this.#factsOf(request, 'sync', traceparent);
    return this.#parts.book.begin(facts, this.#deadlineOf(facts));
  }

  /**
   * One that is kept, durably when this resolves.
   * @throws ReachError IDEMPOTENCY_CONFLICT, STORE_UNAVAILABLE
   */
  async admit(
    request: DispatchRequest,
    mode: RequestLife['mode'],
    traceparent: string | undefined,
  ): Promise<Admitted> {
    const bodyHash = bodyHashOf(request);
    const facts = { ...this.#factsOf(request, mode, traceparent), bodyHash };
    const { book } = this.#parts;
    for (;;) {
      const created = await book.create(facts, this.#deadlineOf(facts));
      if (created !== undefined) return { isNew: true, request: created };
      const found = await book.lookUp(facts.requestId);
      // Meanwhile it was not let in, or forgotten: the id is free again.
      if (found === undefined) continue;
      if (found instanceof LiveRequest) {
        if (found.facts.bodyHash === bodyHash) return { isNew: false, request: found };
        book.release(found);
      } else if (found.bodyHash === bodyHash) return { isNew: false, request: found };
      throw conflict(facts.requestId);
    }
  }

  #factsOf(
    request: DispatchRequest,
    mode: RequestLife['mode'],
    traceparent: string | undefined,
  ): RequestFacts {
    const { requestId = randomUUID(), lane = 'P1' } = request;
    const acceptedAtMs = this.#parts.clock.now();
    return { requestId, bodyHash: undefined, mode, lane, request, traceparent, acceptedAtMs };
  }

  #deadlineOf({ acceptedAtMs, lane, request, mode }: RequestFacts): number {
    return acceptedAtMs + this.#parts.seekBudgetMs(lane, request.deadlines, mode);
  }
}

function conflict(requestId: string): ReachError {
  const detail = `The request_id ${requestId} came before with another body.`;
  return new ReachError('IDEMPOTENCY_CONFLICT', detail);
}
