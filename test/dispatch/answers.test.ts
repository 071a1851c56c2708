import { describe, expect, it } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { Degrade } from '../../src/manifest/schema.js';
import type { Delivery } from '../../src/requests/request-life.js';
import type { AgentAnswer, AgentCall, CompletedAnswer } from '../../src/transport/agent-transport.js';
import { agent, dispatched, goneAddress, setUp } from '../support/dispatching.js';
import { HandClock } from '../support/hand-clock.js';
import { MemoryLife } from '../support/request-life.js';
import { ScriptedTransport } from '../support/scripted-transport.js';
import { until } from '../support/until.js';

const INSTANCES = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b'];
const ACCEPTED: AgentAnswer = { kind: 'accepted', queueRemaining: undefined, estimatedDelayMs: undefined };

const completed = (result: unknown): CompletedAnswer => ({
  kind: 'completed',
  result,
  reply: undefined,
  entities: undefined,
  needHumanHandoff: false,
});

/** An agent that answers only when it is told that nobody waits. */
const untilCancelled = ({ signal }: AgentCall) =>
  new Promise<AgentAnswer>((resolve) => {
    signal?.addEventListener('abort', () => resolve({ kind: 'cancelled' }), { once: true });
  });

describe('a stream', () => {
  it('is acknowledged with its first event, at work with the first that says something, and told as it comes', async () => {
    const transport = new ScriptedTransport((_, listener) => {
      listener.acknowledged();
      listener.progress({ done: 1 });
      listener.delta('he');
      listener.delta('llo');
      return completed('hello');
    });
    const { dispatcher } = setUp({ instances: INSTANCES, transport });
    const life = new MemoryLife();
    expect(await dispatcher.dispatch({ intent: 'x' }, life)).toMatchObject({ state: 'completed' });
    expect(life.states).toEqual(['queued', 'routing', 'delivered', 'acknowledged', 'processing']);
    expect(life.told).toEqual([{ progress: { done: 1 } }, { delta: 'he' }, { delta: 'llo' }]);
  });

  it.each([
    ['P0', undefined, 200],
    ['P1', undefined, 2_000],
    ['P2', undefined, 2_000],
    ['P0', 700, 700],
  ] as const)('of %s, asked for %s: may take %i ms to its first event', async (lane, ackMs, expected) => {
    const transport = new ScriptedTransport(() => completed(1));
    const { dispatcher } = setUp({ instances: INSTANCES, transport });
    await dispatched(dispatcher, { intent: 'x', lane, ...(ackMs && { deadlines: { ackMs } }) });
    expect(transport.calls[0]?.ackMs).toBe(expected);
  });
});

describe('an answer that comes later', () => {
  const accepting = () => new ScriptedTransport(() => ACCEPTED);

  it('is waited for, and holds the slot until then', async () => {
    const { dispatcher, table } = setUp({ instances: INSTANCES, transport: accepting() });
    const life = new MemoryLife({ takesReplies: true });
    const running = dispatcher.dispatch({ intent: 'x' }, life);
    await until(() => life.states.includes('acknowledged'));
    expect(table.instancesOf('reports')[0]?.pending).toBe(1);
    expect(dispatcher.queues()).toHaveLength(1);
    life.reply(1, completed('later'));
    expect(await running).toMatchObject({ state: 'completed', result: 'later' });
    expect(table.instancesOf('reports')[0]).toMatchObject({ pending: 0, latencyMs: expect.any(Number) });
    expect(life.givenUp).toEqual([1]);
  });

  it('is given up at the deadline, and the agent is told', async () => {
    const transport = accepting();
    const { dispatcher, table } = setUp({ instances: INSTANCES, transport });
    const life = new MemoryLife({ takesReplies: true });
    const answer = await dispatcher.dispatch({ intent: 'x', deadlines: { executeMs: 100 } }, life);
    expect(answer).toMatchObject({
      state: 'failed',
      error: { code: 'DEADLINE_EXCEEDED' },
      attempts: [{ outcome: 'timeout' }],
    });
    expect(transport.cancelled).toEqual([INSTANCES[0]]);
    expect(life.givenUp).toEqual([1]);
    expect(table.told).toMatchObject([{ outcome: 'timeout' }]);
  });

  it('is repeated elsewhere after a failure where that does no harm', async () => {
    const transport = new ScriptedTransport(({ attempt }) => (attempt === 1 ? ACCEPTED : completed(2)));
    const { dispatcher } = setUp({ instances: INSTANCES, transport, capability: { idempotent: true } });
    const life = new MemoryLife({ takesReplies: true });
    const running = dispatcher.dispatch({ intent: 'x' }, life);
    await until(() => life.states.includes('acknowledged'));
    life.reply(1, {
      kind: 'failed',
      code: 'AGENT_FAILED',
      detail: 'no',
      unreached: false,
      mayHaveExecuted: true,
      retryAfterMs: undefined,
    });
    expect(await running).toMatchObject({ state: 'completed', result: 2 });
    expect(transport.calls.map(({ replyTo }) => replyTo)).toEqual(
      [1, 2].map((attempt) => `http://127.0.0.1:1/reply/${attempt}`),
    );
  });

  it('is a breach of the protocol where there is nowhere to answer to', async () => {
    const transport = accepting();
    const { dispatcher } = setUp({ instances: INSTANCES, transport });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      error: { code: 'AGENT_PROTOCOL' },
    });
    expect(transport.cancelled).toEqual([INSTANCES[0]]);
  });
});

describe('a cancel', () => {
  it('ends the call, counts against nobody and is not repeated', async () => {
    const { dispatcher, table } = setUp({
      instances: INSTANCES,
      transport: new ScriptedTransport(untilCancelled),
      capability: { idempotent: true },
    });
    const cancel = new AbortController();
    const life = new MemoryLife({ signal: cancel.signal });
    const running = dispatcher.dispatch({ intent: 'x' }, life);
    await until(() => life.states.includes('delivered'));
    cancel.abort();
    expect(await running).toMatchObject({ state: 'cancelled', attempts: [{ outcome: 'cancelled' }] });
    expect(table.told).toMatchObject([{ outcome: 'cancelled' }]);
    expect(dispatcher.queues()).toEqual([]);
  });

  it('reaches an agent that took the work for later', async () => {
    const transport = new ScriptedTransport(() => ACCEPTED);
    const { dispatcher } = setUp({ instances: INSTANCES, transport });
    const cancel = new AbortController();
    const life = new MemoryLife({ takesReplies: true, signal: cancel.signal });
    const running = dispatcher.dispatch({ intent: 'x' }, life);
    await until(() => life.states.includes('acknowledged'));
    cancel.abort();
    expect(await running).toMatchObject({ state: 'cancelled' });
    expect(transport.cancelled).toEqual([INSTANCES[0]]);
  });

  it('while it is decided, waits for a slot, waits to be repeated or is written down: nothing is sent', async () => {
    const cancel = new AbortController();
    const transport = new ScriptedTransport(() => completed(1));
    const { dispatcher } = setUp({ instances: INSTANCES, transport });
    const life = new MemoryLife({
      signal: cancel.signal,
      async deliver() {
        cancel.abort();
      },
    });
    expect(await dispatcher.dispatch({ intent: 'x' }, life)).toMatchObject({ state: 'cancelled' });
    expect(transport.calls).toHaveLength(0);
    const again = await dispatcher.dispatch({ intent: 'x' }, new MemoryLife({ signal: cancel.signal }));
    expect(again).toMatchObject({ state: 'cancelled', attempts: [] });
    expect(dispatcher.queues()).toEqual([]);
  });

  it('ends the wait for another round', async () => {
    const { dispatcher } = setUp({ instances: [await goneAddress()], random: () => 0.999 });
    const cancel = new AbortController();
    const life = new MemoryLife({ signal: cancel.signal });
    const request = {
      intent: 'x',
      retryPolicy: { backoffBaseMs: 60_000 },
      deadlines: { executeMs: 600_000 },
    };
    const running = dispatcher.dispatch(request, life);
    await until(() => life.states.includes('retry_waiting'));
    cancel.abort();
    expect(await running).toMatchObject({ state: 'cancelled', attempts: [{ outcome: 'failed' }] });
  });
});

it.each(['ADDRESS_FORBIDDEN', 'CLOSED'] as const)(
  'what we keep from being sent (%s) never counts against an agent',
  async (code) => {
    const kept: AgentAnswer = {
      kind: 'failed',
      code,
      detail: 'no',
      unreached: false,
      mayHaveExecuted: false,
      retryAfterMs: undefined,
    };
    const { dispatcher, table } = setUp({
      instances: INSTANCES,
      transport: new ScriptedTransport(() => kept),
    });
    await dispatched(dispatcher, { intent: 'x', retryPolicy: { maxAttempts: 1 } });
    expect(table.told).toMatchObject([{ outcome: 'cancelled' }]);
  },
);

it('a wait for a late answer that the close ends never counts against an agent', async () => {
  const { dispatcher, table } = setUp({
    instances: INSTANCES,
    transport: new ScriptedTransport(() => ACCEPTED),
  });
  const closed = new ReachError('CLOSED', 'closing');
  const life = new MemoryLife();
  life.late = () => ({ replyTo: 'http://reach.example', answer: Promise.reject(closed), giveUp: () => {} });
  await expect(dispatcher.dispatch({ intent: 'x' }, life)).rejects.toBe(closed);
  expect(table.told).toMatchObject([{ outcome: 'cancelled' }]);
});

it('nothing is sent, and no slot stays taken, where the delivery cannot be written down', async () => {
  const transport = new ScriptedTransport(() => completed(1));
  const { dispatcher, table } = setUp({ instances: INSTANCES, transport });
  const deliver = () => Promise.reject(new Error('disk full'));
  await expect(dispatched(dispatcher, { intent: 'x' }, { deliver })).rejects.toThrow('disk full');
  expect(transport.calls).toHaveLength(0);
  expect(dispatcher.queues()).toEqual([]);
  expect(table.instancesOf('reports')).toMatchObject([{ pending: 0 }, { pending: 0 }]);
});

describe('what had been delivered before a restart', () => {
  const earlier = (overrides: Partial<Delivery> = {}): Delivery => ({
    attempt: 1,
    agentName: 'reports',
    instanceId: 'a',
    capabilityId: 'weekly',
    idempotent: true,
    deadline: performance.now() + 900,
    ...overrides,
  });

  function restarted(capability: { readonly idempotent: boolean }) {
    const transport = new ScriptedTransport(() => completed(1));
    const { dispatcher } = setUp({ instances: INSTANCES, transport, capability });
    const go = (delivery: Delivery) => dispatched(dispatcher, { intent: 'x' }, { earlier: delivery });
    return { transport, go };
  }

  it('goes on with the deadline that it had, and counts as an attempt', async () => {
    const { transport, go } = restarted({ idempotent: true });
    expect(await go(earlier({ attempt: 2 }))).toMatchObject({ state: 'completed' });
    expect(transport.calls).toMatchObject([{ attempt: 3 }]);
    expect(transport.calls[0]?.timeoutMs).toBeLessThanOrEqual(900);
    expect(await go(earlier({ deadline: performance.now() - 1 }))).toMatchObject({
      state: 'failed',
      error: { code: 'DEADLINE_EXCEEDED' },
      attempts: [],
    });
  });

  it.each([
    ['where no attempt is left', { idempotent: true }, { attempt: 3 }],
    ['to whom may not repeat it', { idempotent: false }, {}],
  ])('is not given on %s', async (_, capability, delivery) => {
    const { transport, go } = restarted(capability);
    expect(await go(earlier(delivery))).toMatchObject({
      state: 'failed',
      error: { code: 'NODE_LOST' },
      attempts: [],
    });
    expect(transport.calls).toEqual([]);
  });

  it('goes on where its agent had given it back, though it may not be repeated', async () => {
    const { go } = restarted({ idempotent: false });
    expect(await go(earlier({ idempotent: false }))).toMatchObject({ state: 'completed' });
  });
});

describe('check_result', () => {
  const misfit = [{ pointer: '/total', expected: 'a number', received: 'nothing' }];

  it('makes a result that does not fit a failure of the agent, which is not repeated', async () => {
    const transport = new ScriptedTransport(() => completed({}));
    const { dispatcher, table } = setUp({
      instances: INSTANCES,
      transport,
      capability: { idempotent: true },
      checkResult: () => misfit,
    });
    expect(await dispatched(dispatcher, { intent: 'x', checkResult: true })).toMatchObject({
      state: 'failed',
      error: { code: 'RESULT_INVALID', detail: expect.stringMatching(/\/total: expected a number/) },
      attempts: [{ outcome: 'failed', errorCode: 'RESULT_INVALID' }],
    });
    expect(table.told).toMatchObject([{ outcome: 'failed' }]);
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({ state: 'completed', result: {} });
  });
});

describe('degrade', () => {
  const canned: Degrade = { kind: 'canned', value: { rows: [] } };
  const lastGood: Degrade = { kind: 'last_good', maxAgeMs: 60_000 };

  it('answers in the place of a failure, and says for which', async () => {
    const { dispatcher } = setUp({ instances: [await goneAddress()], capability: { degrade: canned } });
    expect(await dispatched(dispatcher, { intent: 'x', retryPolicy: { maxAttempts: 1 } })).toMatchObject({
      state: 'completed',
      degraded: true,
      result: { rows: [] },
      error: { code: 'AGENT_UNREACHABLE' },
      attempts: [{ outcome: 'failed' }],
    });
  });

  it('of a rule goes before that of the capability, also where nobody can be reached', async () => {
    const { dispatcher } = setUp({
      decision: { outcome: 'unreachable' },
      capability: { degrade: { kind: 'canned', value: 'capability' } },
      degrade: { kind: 'canned', value: 'rule' },
    });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({ degraded: true, result: 'rule' });
  });

  it("does not answer for the caller's fault", async () => {
    const { url } = await agent(422, {});
    const { dispatcher } = setUp({ instances: [url], capability: { degrade: canned } });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({ state: 'failed', degraded: false });
  });

  it('answers with the last good result of the same person, intent and payload while that is young enough', async () => {
    const clock = new HandClock();
    let works = true;
    const transport = new ScriptedTransport(({ payload }) =>
      works
        ? completed({ of: payload })
        : {
            kind: 'failed',
            code: 'AGENT_FAILED',
            detail: 'no',
            unreached: false,
            mayHaveExecuted: true,
            retryAfterMs: undefined,
          },
    );
    const { dispatcher } = setUp({
      instances: INSTANCES,
      transport,
      clock,
      capability: { degrade: lastGood },
    });
    const ask = (intent: string, payload: Record<string, unknown>, userId?: string) =>
      dispatched(
        dispatcher,
        { intent, payload, ...(userId && { userId }) },
        { acceptedAt: clock.monotonic() },
      );
    await ask('Sales', { a: 1, b: 2 }, 'u');
    works = false;
    expect(await ask('sales', { b: 2, a: 1 }, 'u')).toMatchObject({
      state: 'completed',
      degraded: true,
      result: { of: { a: 1, b: 2 } },
      error: { code: 'AGENT_FAILED' },
    });
    for (const other of [
      ask('sales', { a: 1 }, 'u'),
      ask('costs', { a: 1, b: 2 }, 'u'),
      ask('sales', { a: 1, b: 2 }, 'v'),
    ])
      expect(await other).toMatchObject({ state: 'failed', degraded: false });
    clock.pass(60_001);
    expect(await ask('Sales', { a: 1, b: 2 }, 'u')).toMatchObject({ state: 'failed' });
  });
});

it('chooses by the strategy that the capability names, for every attempt', async () => {
  const transport = new ScriptedTransport(({ attempt }) =>
    attempt === 1
      ? {
          kind: 'failed',
          code: 'AGENT_UNREACHABLE',
          detail: 'no',
          unreached: true,
          mayHaveExecuted: false,
          retryAfterMs: undefined,
        }
      : completed(1),
  );
  const { dispatcher } = setUp({
    instances: [...INSTANCES, 'http://127.0.0.1:1/c'],
    decision: { instanceId: null },
    transport,
    capability: { instanceStrategy: 'last' },
    strategies: { last: { choose: (open) => open.at(-1) } },
  });
  const answer = await dispatched(dispatcher, { intent: 'x' });
  expect(answer.attempts.map(({ instanceId }) => instanceId)).toEqual(['c', 'b']);
});
