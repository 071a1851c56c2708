import type { Clock } from '../clock.js';
import { asReachError, type FieldError, ReachError, sentenceOf } from '../errors.js';
import { problemOf } from '../requests/conclusion.js';
import type { BatchAnswer, BatchRequest } from '../wire/batch.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';

const CONCURRENCY = 8;

type Answer = BatchAnswer['answers'][number];

/** Carries one of the requests out. Its signal ends it. @throws ReachError */
export type DispatchOne = (request: DispatchRequest, end: AbortSignal) => Promise<DispatchAnswer>;

interface BatchParts {
  readonly clock: Clock;
  /** Aborted when the caller of the batch has left. */
  readonly signal: AbortSignal | undefined;
  /** Cancels a request of an id of its caller's, which its signal does not end. Never rejects. */
  readonly cancel: (requestId: string) => Promise<void>;
}

/** How many have to be completed. @throws ReachError INVALID_REQUEST for a quorum that cannot be meant */
function wantedOf({ requests, mode = 'all', quorum }: BatchRequest): number {
  if (mode === 'quorum') {
    if (quorum === undefined) return Math.floor(requests.length / 2) + 1;
    if (quorum <= requests.length) return quorum;
    throw invalid({ pointer: '/quorum', expected: `at most ${requests.length}`, received: String(quorum) });
  }
  if (quorum !== undefined)
    throw invalid({ pointer: '/quorum', expected: 'none without mode quorum', received: String(quorum) });
  return mode === 'first' ? 1 : requests.length;
}

function invalid(fault: FieldError): ReachError {
  return new ReachError('INVALID_REQUEST', sentenceOf([fault]), { errors: [fault] });
}

/**
 * Carries several requests out, some at a time, until as many are completed as the mode asks for; then the others are
 * cancelled. What is wrong with one of them stands in its place.
 * @throws ReachError INVALID_REQUEST
 */
export async function carryOutBatch(
  batch: BatchRequest,
  dispatchOne: DispatchOne,
  { clock, signal, cancel }: BatchParts,
): Promise<BatchAnswer> {
  const { requests, mode = 'all', concurrency = CONCURRENCY } = batch;
  const wanted = wantedOf(batch);
  const start = clock.monotonic();
  const answers = requests.map((): Answer => null);
  const enough = new AbortController();
  const end = signal === undefined ? enough.signal : AbortSignal.any([signal, enough.signal]);
  const waiting = requests.entries();
  const running = new Set<DispatchRequest>();
  let completed = 0;

  const endOthers = () => {
    enough.abort();
    for (const { requestId } of running) if (requestId !== undefined) void cancel(requestId);
  };

  const work = async () => {
    for (const [place, request] of waiting) {
      if (end.aborted) return;
      running.add(request);
      try {
        const answer = await dispatchOne(request, end);
        answers[place] = answer;
        if (answer.state === 'completed') completed += 1;
      } catch (thrown) {
        answers[place] = { error: problemOf(asReachError(thrown)) };
      } finally {
        running.delete(request);
      }
      if (mode !== 'all' && completed >= wanted) endOthers();
    }
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, requests.length) }, work));
  return {
    state: completed >= wanted ? 'completed' : 'failed',
    answers,
    elapsedMs: clock.monotonic() - start,
  };
}
