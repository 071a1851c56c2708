import { describe, expect, it } from 'vitest';
import type { PayloadCheck } from '../../src/manifest/payload-validators.js';
import { agent, dispatched, goneAddress, instancesAt, setUp } from '../support/dispatching.js';
import { rawServer } from '../support/local-servers.js';
import { MemoryLife } from '../support/request-life.js';
import { until } from '../support/until.js';

const IDEMPOTENT = { idempotent: true };
const NEVER: PayloadCheck = {
  missing: [],
  errors: [{ pointer: '', expected: 'another payload', received: 'this one' }],
};

async function twin(agentName: string, answer: unknown, capability = {}) {
  const { url, seen } = await agent(200, { result: answer });
  const published = {
    agentName,
    capabilities: [{ id: 'weekly', ...capability }],
    instances: instancesAt([url]),
  };
  return { published, seen, key: `${agentName}/weekly` };
}

describe('who stands in for the target', () => {
  it('is asked once its own instances have failed, the most useful first', async () => {
    const [first, second] = [await twin('first', 1), await twin('second', 2)];
    const { dispatcher } = setUp({
      instances: [await goneAddress(), await goneAddress()],
      standIns: [first.key, second.key],
      others: [first.published, second.published],
    });
    const answer = await dispatched(dispatcher, { intent: 'x', payload: { a: 1 } });
    expect(answer).toMatchObject({ state: 'completed', result: 1 });
    expect(answer.attempts.map(({ agentName, instanceId }) => `${agentName} ${instanceId}`)).toEqual([
      'reports a',
      'reports b',
      'first a',
    ]);
    expect(first.seen[0]?.body).toMatchObject({ payload: { a: 1 } });
    expect(second.seen).toHaveLength(0);
  });

  it('known failure: failover to a target that cannot do the job', async () => {
    const [unfit, fit] = [await twin('unfit', 1), await twin('fit', 2)];
    const { dispatcher } = setUp({
      instances: [await goneAddress()],
      standIns: ['gone/weekly', unfit.key, fit.key],
      others: [{ ...unfit.published, check: () => NEVER }, fit.published],
    });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({ state: 'completed', result: 2 });
    expect(unfit.seen).toHaveLength(0);
  });

  it.each([
    ['where the one before must not be repeated', {}, IDEMPOTENT],
    ['where it must not be repeated itself', IDEMPOTENT, {}],
  ])('is not given what may have been executed, %s', async (_, capability, its) => {
    const broken = await agent(500, {});
    const other = await twin('other', 1, its);
    const { dispatcher } = setUp({
      instances: [broken.url],
      capability,
      standIns: [other.key],
      others: [other.published],
    });
    const short = { intent: 'x', deadlines: { executeMs: 300 } };
    expect(await dispatched(dispatcher, short)).toMatchObject({ state: 'failed' });
    expect(other.seen).toHaveLength(0);
  });

  it('known failure: one dead target that fails a whole session', async () => {
    const other = await twin('other', 1);
    const { dispatcher } = setUp({
      instances: [await goneAddress()],
      standIns: [other.key],
      others: [other.published],
      affinity: { agentName: 'reports', version: null },
    });
    for (let turn = 0; turn < 5; turn++) {
      expect(await dispatched(dispatcher, { intent: 'x', sessionId: 's' })).toMatchObject({
        state: 'completed',
      });
    }
  });

  it('known failure: pool exhaustion under slow agents. Who has a full queue does not keep others from theirs', async () => {
    const silent = await rawServer(() => {});
    const other = await twin('other', 1);
    const size = { slots: 1, queue: 1 };
    const { dispatcher } = setUp({
      instances: [silent.url],
      lanes: { P0: size, P1: size, P2: size },
      standIns: [other.key],
      others: [other.published],
    });
    const slow = { intent: 'x', deadlines: { seekMs: 500, executeMs: 500 } };
    const [running, waiting] = [dispatched(dispatcher, slow), dispatched(dispatcher, slow)];
    await until(() => dispatcher.queues()[0]?.waiting.P1 === 1);
    expect(await dispatched(dispatcher, slow)).toMatchObject({ state: 'completed', result: 1 });
    expect(await running).toMatchObject({ state: 'failed', error: { code: 'DEADLINE_EXCEEDED' } });
    await waiting;
    expect(dispatcher.queues()).toEqual([]);
  });
});

describe('repeats', () => {
  it('known failure: a retry without end, and 1,000 attempts asked for', async () => {
    const { dispatcher } = setUp({ instances: [await goneAddress()] });
    const retryPolicy = { maxAttempts: 4, backoffBaseMs: 0 };
    const life = new MemoryLife();
    const answer = await dispatcher.dispatch({ intent: 'x', retryPolicy }, life);
    expect(answer.attempts).toHaveLength(4);
    expect(answer).toMatchObject({
      state: 'failed',
      error: { detail: expect.stringMatching(/no attempt is left/) },
    });
    expect(life.states).toEqual([
      'queued',
      'routing',
      ...[
        'delivered',
        'retry_waiting',
        'delivered',
        'retry_waiting',
        'delivered',
        'retry_waiting',
        'delivered',
      ],
    ]);
  });

  it('known failure: retries at two levels that multiply. Each attempt is one request to an agent', async () => {
    const busy = await agent(503, {});
    const { dispatcher } = setUp({ instances: [busy.url] });
    const retryPolicy = { maxAttempts: 3, backoffBaseMs: 0 };
    const answer = await dispatched(dispatcher, { intent: 'x', retryPolicy });
    expect(answer.attempts).toHaveLength(3);
    expect(busy.seen.map(({ headers }) => headers['x-reach-attempt'])).toEqual(['1', '2', '3']);
  });

  it('of all requests together stay under a fifth of the first attempts, beside the ten it begins with', async () => {
    const busy = await agent(503, {});
    const { dispatcher } = setUp({ instances: [busy.url] });
    const retryPolicy = { maxAttempts: 10, backoffBaseMs: 0 };
    let attempts = 0;
    for (let request = 0; request < 50; request++) {
      attempts += (await dispatched(dispatcher, { intent: 'x', retryPolicy })).attempts.length;
    }
    expect(attempts).toBeGreaterThan(50);
    expect(attempts).toBeLessThanOrEqual(50 + 10 + 50 * 0.2);
  });

  it('are not begun with less time than the capability usually takes', async () => {
    const second = await agent(200, { result: 1 });
    const { dispatcher } = setUp({
      instances: [await goneAddress(), second.url],
      capability: { expectedMs: 5_000 },
    });
    const answer = await dispatched(dispatcher, { intent: 'x', deadlines: { executeMs: 1_000 } });
    expect(answer).toMatchObject({
      state: 'failed',
      error: { detail: expect.stringMatching(/no time is left/) },
    });
    expect(second.seen).toHaveLength(0);
  });

  it('wait no longer than the deadline', async () => {
    const { dispatcher } = setUp({ instances: [await goneAddress()], random: () => 0.999 });
    const request = { intent: 'x', deadlines: { executeMs: 1_000 }, retryPolicy: { backoffBaseMs: 60_000 } };
    const answer = await dispatched(dispatcher, request);
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'AGENT_UNREACHABLE' } });
    expect(answer.elapsedMs).toBeLessThan(5_000);
  });
});

describe("a fault that is the caller's", () => {
  it.each([400, 422])('%i never counts against the agent', async (status) => {
    const { url } = await agent(status, { detail: 'no' });
    const { dispatcher, table } = setUp({ instances: [url] });
    for (let call = 0; call < 20; call++) await dispatched(dispatcher, { intent: 'x' });
    const [view] = table.instancesOf('reports');
    expect(view).toMatchObject({ state: 'up', reachability: 1, blocked: new Set() });
  });

  it('nor does a deadline that is shorter than the work usually takes', async () => {
    const silent = await rawServer(() => {});
    const { dispatcher, table } = setUp({ instances: [silent.url], capability: { expectedMs: 1_000 } });
    const hasty = { intent: 'x', deadlines: { executeMs: 20 } };
    for (let call = 0; call < 12; call++) await dispatched(dispatcher, hasty);
    expect(table.instancesOf('reports')).toMatchObject([{ reachability: 1, blocked: new Set() }]);
  });
});

it('known failure: a default target that never worked is a failure that says so, and no result', async () => {
  const { dispatcher } = setUp({ instances: [await goneAddress()], decision: { outcome: 'fallback' } });
  const answer = await dispatched(dispatcher, { intent: 'x', retryPolicy: { maxAttempts: 1 } });
  expect(answer).toMatchObject({ state: 'failed', degraded: false, error: { code: 'AGENT_UNREACHABLE' } });
  const nobody = setUp({ decision: { outcome: 'fallback' } });
  expect(await dispatched(nobody.dispatcher, { intent: 'x' })).toMatchObject({
    state: 'failed',
    error: { code: 'AGENT_UNREACHABLE', detail: 'no instance can take work now: there is none' },
  });
});

describe('waiting for a slot', () => {
  const size = { slots: 1, queue: 1 };
  const lanes = { P0: size, P1: size, P2: size };

  it('is told, measured, and a problem where even the queue is full', async () => {
    const held: (() => void)[] = [];
    const slow = await rawServer(
      (socket) =>
        void held.push(() => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"result":1}')),
    );
    const { dispatcher } = setUp({ instances: [slow.url], lanes });
    const [running, life] = [dispatched(dispatcher, { intent: 'x' }), new MemoryLife()];
    const waiting = dispatcher.dispatch({ intent: 'x' }, life);
    await until(() => held.length === 1 && life.places.length === 1);
    expect(life.states).toEqual(['queued', 'routing', 'queued']);
    expect(dispatcher.queues()).toMatchObject([
      { agentName: 'reports', waiting: { P1: 1 }, instances: [{ lanes: { P1: { slots: 1, used: 1 } } }] },
    ]);
    await expect(dispatched(dispatcher, { intent: 'x' })).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: expect.any(Number),
    });
    held[0]?.();
    await running;
    await until(() => held.length === 2);
    held[1]?.();
    const { waitedMs, state } = await waiting;
    expect(state).toBe('completed');
    expect(waitedMs).toBeGreaterThan(0);
    expect(life.places).toEqual([1]);
    expect(life.states).toEqual(['queued', 'routing', 'queued', 'delivered']);
  });

  it('ends with the seek budget', async () => {
    const silent = await rawServer(() => {});
    const { dispatcher } = setUp({ instances: [silent.url], lanes });
    const running = dispatched(dispatcher, { intent: 'x', deadlines: { executeMs: 600 } });
    const late = await dispatched(dispatcher, { intent: 'x', deadlines: { seekMs: 100 } });
    expect(late).toMatchObject({ state: 'failed', error: { code: 'DEADLINE_EXCEEDED' }, attempts: [] });
    expect(late.waitedMs).toBeGreaterThan(50);
    await running;
  });
});
