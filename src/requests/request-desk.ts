import { asReachError, ReachError } from '../errors.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type { RequestEvent, RequestStatus } from '../wire/requests.js';
import type { Admission, Admitted } from './admission.js';
import type { Callbacks } from './callbacks.js';
import { LiveRequest } from './live-request.js';
import type { RequestBook } from './request-book.js';
import type { RequestFollowers } from './request-followers.js';
import type { RequestInquiries } from './request-inquiries.js';
import type { RequestRunner } from './request-runner.js';
import type { WorkQueue } from './work-queue.js';

export interface RequestDeskParts {
  readonly book: RequestBook;
  readonly admission: Admission;
  readonly runner: RequestRunner;
  readonly inquiries: RequestInquiries;
  readonly followers: RequestFollowers;
  readonly queue: WorkQueue;
  readonly callbacks: Callbacks | undefined;
  readonly team: string;
}

/** What surrounds a request and is passed on with it. */
interface Surroundings {
  readonly traceparent?: string;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
}

interface Followed {
  readonly requestId: string;
  readonly events: AsyncIterable<RequestEvent>;
}

/** Where requests come in, and their answers go out. */
export class RequestDesk {
  readonly #parts: RequestDeskParts;

  constructor(parts: RequestDeskParts) {
    this.#parts = parts;
  }

  /** @throws ReachError what kept it from being taken; IDEMPOTENCY_CONFLICT, ADDRESS_FORBIDDEN, STORE_UNAVAILABLE */
  dispatch(request: DispatchRequest, { traceparent, signal }: Surroundings): Promise<DispatchAnswer> {
    const { admission, runner } = this.#parts;
    if (request.callbackUrl !== undefined || request.requestId !== undefined)
      return this.#dispatchOnce(request, traceparent);
    const live = admission.pass(request, traceparent);
    return signal === undefined ? runner.run(live) : this.#runUnlessLeft(live, signal);
  }

  /** Durable when it resolves. @throws ReachError IDEMPOTENCY_CONFLICT, OVERLOADED, ADDRESS_FORBIDDEN, STORE_UNAVAILABLE */
  async dispatchLater(request: DispatchRequest, { traceparent }: Surroundings): Promise<RequestStatus> {
    const { book, inquiries } = this.#parts;
    const queued = await this.#queue(request, traceparent);
    if (!(queued instanceof LiveRequest)) return inquiries.statusOf(queued);
    try {
      return await inquiries.statusOf(queued.snapshot());
    } finally {
      book.release(queued);
    }
  }

  /** @throws ReachError as dispatch, in the loop where it shows later; and OVERLOADED */
  async dispatchStream(request: DispatchRequest, { traceparent, signal }: Surroundings): Promise<Followed> {
    const { admission, inquiries } = this.#parts;
    if (request.callbackUrl !== undefined) {
      const queued = await this.#queue(request, traceparent);
      return { requestId: queued.requestId, events: inquiries.eventsOf(queued, { signal }) };
    }
    const admitted: Admitted =
      request.requestId === undefined
        ? { isNew: true, request: admission.pass(request, traceparent) }
        : await admission.admit(request, 'sync', traceparent);
    const { requestId } = admitted.request;
    if (!admitted.isNew) return { requestId, events: inquiries.eventsOf(admitted.request, { signal }) };
    return { requestId, events: await this.#runFollowed(admitted.request, signal) };
  }

  /** One that is kept: whoever comes with its id again gets its answer. */
  async #dispatchOnce(request: DispatchRequest, traceparent: string | undefined): Promise<DispatchAnswer> {
    const { admission, runner } = this.#parts;
    if (request.callbackUrl !== undefined) return this.#answerOf(await this.#queue(request, traceparent));
    const admitted = await admission.admit(request, 'sync', traceparent);
    return admitted.isNew ? runner.run(admitted.request) : this.#answerOf(admitted.request);
  }

  /** Carries it out for a caller who cancels it by leaving. */
  async #runUnlessLeft(live: LiveRequest, signal: AbortSignal): Promise<DispatchAnswer> {
    const cancel = () => live.cancel();
    if (signal.aborted) cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      return await this.#parts.runner.run(live);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  }

  /** Carries it out for a follower who cancels it by leaving. */
  async #runFollowed(
    live: LiveRequest,
    signal: AbortSignal | undefined,
  ): Promise<AsyncIterable<RequestEvent>> {
    const { book, followers, runner } = this.#parts;
    try {
      const onEnd = (hasLeft: boolean) => {
        if (hasLeft) live.cancel();
      };
      const events = followers.follow(live.log, { signal, onEnd });
      // What it rejects with is told to the follower.
      runner.run(live).catch(() => {});
      return events;
    } catch (thrown) {
      await book.refuse(live, asReachError(thrown));
      throw thrown;
    }
  }

  /** One that waits for its turn, durably, or was there before. It is held, if it is live. */
  async #queue(request: DispatchRequest, traceparent: string | undefined): Promise<Admitted['request']> {
    const { admission, book, queue, team } = this.#parts;
    if (request.callbackUrl !== undefined) this.#refuseUnlessCallable(request.callbackUrl);
    const admitted = await admission.admit(request, 'async', traceparent);
    if (!admitted.isNew) return admitted.request;
    const { requestId, lane } = admitted.request.facts;
    try {
      await queue.add(team, { requestId, lane });
    } catch (thrown) {
      await book.refuse(admitted.request, asReachError(thrown));
      throw thrown;
    }
    return admitted.request;
  }

  /** Of one that was there before, or is carried out by the queue. */
  async #answerOf(request: Admitted['request']): Promise<DispatchAnswer> {
    const { book } = this.#parts;
    if (!(request instanceof LiveRequest)) {
      if (request.answer !== undefined) return request.answer;
      throw new ReachError('INTERNAL', `The request ${request.requestId} has ended without an answer.`);
    }
    try {
      return await book.answered(request);
    } finally {
      book.release(request);
    }
  }

  #refuseUnlessCallable(url: string): void {
    const { callbacks } = this.#parts;
    if (callbacks === undefined) throw new ReachError('ADDRESS_FORBIDDEN', 'Nobody is called back here.');
    callbacks.check(url);
  }
}
