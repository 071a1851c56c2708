import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { carryOutBatch, type DispatchOne } from '../../src/dispatch/batch.js';
import { ReachError } from '../../src/errors.js';
import type { BatchRequest } from '../../src/wire/batch.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import { until } from '../support/until.js';

const answered = (state: DispatchAnswer['state']): DispatchAnswer => ({
  requestId: 'r',
  state,
  degraded: false,
  decision: null,
  attempts: [],
  waitedMs: 0,
  elapsedMs: 1,
});

const requestsOf = (count: number) => Array.from({ length: count }, (_, place) => ({ intent: `${place}` }));

/** Requests that end when the test says so, by their place; one whose end is aborted is cancelled. */
function held() {
  const begun = new Map<string, (answer: DispatchAnswer | ReachError) => void>();
  const dispatchOne: DispatchOne = (request, end) =>
    new Promise((resolve, reject) => {
      end.addEventListener('abort', () => resolve(answered('cancelled')));
      begun.set(request.intent ?? '', (answer) =>
        answer instanceof ReachError ? reject(answer) : resolve(answer),
      );
    });
  return { begun, dispatchOne };
}

function carriedOut(
  batch: BatchRequest,
  dispatchOne: DispatchOne,
  { signal, cancel = async () => {} }: { signal?: AbortSignal; cancel?: (id: string) => Promise<void> } = {},
) {
  return carryOutBatch(batch, dispatchOne, { clock: systemClock, signal, cancel });
}

const statesOf = ({ answers }: Awaited<ReturnType<typeof carriedOut>>) =>
  answers.map((answer) => (answer !== null && 'state' in answer ? answer.state : answer));

describe('a batch', () => {
  it('of mode all carries all out, in the order asked, never more at once than it may', async () => {
    let running = 0;
    let most = 0;
    const batch = { requests: requestsOf(20), concurrency: 3 };
    const answer = await carriedOut(batch, async ({ intent }) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 20 - Number(intent)));
      running -= 1;
      return { ...answered('completed'), requestId: intent ?? '' };
    });
    expect(most).toBe(3);
    expect(answer.state).toBe('completed');
    expect(answer.answers).toMatchObject(batch.requests.map(({ intent }) => ({ requestId: intent })));
  });

  it('tells what is wrong with one of its requests in its place, and carries the others out', async () => {
    const answer = await carriedOut({ requests: requestsOf(3) }, async ({ intent }) => {
      if (intent === '1') throw new ReachError('OVERLOADED', 'full', { retryAfterMs: 7 });
      return answered('completed');
    });
    expect(answer).toMatchObject({
      state: 'failed',
      answers: [
        { state: 'completed' },
        { error: { code: 'OVERLOADED', detail: 'full', retryable: true, retryAfterMs: 7, errors: [] } },
        { state: 'completed' },
      ],
    });
  });

  it('of mode first ends with the first that is completed; the others are cancelled or never begun', async () => {
    const { begun, dispatchOne } = held();
    const running = carriedOut({ requests: requestsOf(4), mode: 'first', concurrency: 2 }, dispatchOne);
    begun.get('0')?.(answered('failed'));
    await until(() => begun.has('2'));
    begun.get('2')?.(answered('completed'));
    const answer = await running;
    expect(answer.state).toBe('completed');
    expect(statesOf(answer)).toEqual(['failed', 'cancelled', 'completed', null]);
  });

  it('of mode first cancels also those that have a request_id, which no signal ends', async () => {
    const ends = new Map<string, (answer: DispatchAnswer) => void>();
    const running = carriedOut(
      { requests: ['a', 'b', 'c'].map((requestId) => ({ intent: 'x', requestId })), mode: 'first' },
      ({ requestId = '' }) => new Promise((resolve) => ends.set(requestId, resolve)),
      { cancel: async (requestId) => ends.get(requestId)?.(answered('cancelled')) },
    );
    ends.get('b')?.(answered('completed'));
    expect(statesOf(await running)).toEqual(['cancelled', 'completed', 'cancelled']);
  });

  it.each([
    [undefined, 3],
    [2, 2],
  ])('of mode quorum %s ends with %i of five', async (quorum, wanted) => {
    const batch: BatchRequest = { requests: requestsOf(5), mode: 'quorum', concurrency: 1 };
    const answer = await carriedOut({ ...batch, ...(quorum && { quorum }) }, async () =>
      answered('completed'),
    );
    expect(answer.state).toBe('completed');
    expect(statesOf(answer).filter((state) => state === 'completed')).toHaveLength(wanted);
    expect(answer.answers.slice(wanted)).toEqual(new Array(5 - wanted).fill(null));
  });

  it('that misses its quorum has failed', async () => {
    const batch: BatchRequest = { requests: requestsOf(3), mode: 'quorum' };
    expect(await carriedOut(batch, async () => answered('handed_off'))).toMatchObject({ state: 'failed' });
  });

  it('whose caller leaves is cancelled as a whole', async () => {
    const { begun, dispatchOne } = held();
    const caller = new AbortController();
    const running = carriedOut({ requests: requestsOf(3), concurrency: 2 }, dispatchOne, {
      signal: caller.signal,
    });
    await until(() => begun.size === 2);
    caller.abort();
    expect(statesOf(await running)).toEqual(['cancelled', 'cancelled', null]);
  });

  it.each<[string, Partial<BatchRequest>]>([
    ['a quorum of more than there are', { mode: 'quorum', quorum: 3 }],
    ['a quorum that its mode has no use for', { mode: 'first', quorum: 1 }],
  ])('with %s is refused before anything begins', async (_, batch) => {
    const { begun, dispatchOne } = held();
    await expect(carriedOut({ requests: requestsOf(2), ...batch }, dispatchOne)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/quorum' }],
    });
    expect(begun.size).toBe(0);
  });
});
