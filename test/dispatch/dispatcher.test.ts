import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MAX_DISPATCHES } from '../../src/dispatch/dispatcher.js';
import { ReachError } from '../../src/errors.js';
import type { PayloadCheck } from '../../src/manifest/payload-validators.js';
import type { Decision } from '../../src/wire/route.js';
import {
  agent,
  dispatched,
  goneAddress,
  instancesAt,
  ROUTED,
  routed,
  setUp,
} from '../support/dispatching.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { mortalAgent } from '../support/mortal-agent.js';
import { until } from '../support/until.js';

describe('work that gets done', () => {
  it('answers with the result, the decision and the attempt', async () => {
    const { url, seen } = await agent(200, { result: { rows: 3 }, reply: '好' });
    const { dispatcher, table } = setUp({ instances: [url] });
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const answer = await dispatched(
      dispatcher,
      { intent: '周报', payload: { team: 'sales' }, sessionId: 's', userId: 'u', lane: 'P0' },
      { traceparent },
    );
    expect(answer).toMatchObject({
      requestId: 'rq-1',
      state: 'completed',
      result: { rows: 3 },
      reply: '好',
      degraded: false,
      decision: { routeId: 'route-1' },
      attempts: [{ instanceId: 'a', capabilityId: 'weekly', outcome: 'completed' }],
    });
    expect(answer).not.toHaveProperty('error');
    expect(answer.attempts[0]).not.toHaveProperty('errorCode');
    expect(answer.attempts[0]?.startedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.elapsedMs).toBeGreaterThanOrEqual(answer.attempts[0]?.elapsedMs ?? Number.NaN);
    expect(seen[0]?.body).toEqual({
      request_id: answer.requestId,
      capability_id: 'weekly',
      intent: '周报',
      payload: { team: 'sales' },
      lane: 'P0',
      session: { session_id: 's' },
      reply_to: null,
    });
    expect(seen[0]?.headers).toMatchObject({ traceparent, 'x-reach-attempt': '1' });
    expect(table.told).toMatchObject([{ agentName: 'reports', instanceId: 'a', outcome: 'completed' }]);
    expect(table.instancesOf('reports')).toMatchObject([{ pending: 0, latencyMs: expect.any(Number) }]);
  });

  it('is handed off with its result where the agent asks for a human', async () => {
    const { url } = await agent(200, {
      result: 'x',
      reply: 'a colleague will call',
      need_human_handoff: true,
    });
    const { dispatcher } = setUp({ instances: [url], decision: { outcome: 'fallback' } });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      state: 'handed_off',
      result: 'x',
      reply: 'a colleague will call',
    });
  });

  it('is asked for without what concerns only the dispatch', async () => {
    const asked: unknown[] = [];
    const { dispatcher } = setUp({
      route: async (request) => {
        asked.push(request);
        return routed({ ...ROUTED, outcome: 'human' }, request);
      },
    });
    const terms = {
      requestId: 'r',
      lane: 'P2',
      deadlines: { executeMs: 1 },
      retryPolicy: { maxAttempts: 1 },
      checkResult: false,
      callbackUrl: 'http://127.0.0.1/back',
    } as const;
    await dispatched(dispatcher, { intent: 'x', topK: 3, ...terms });
    for (const [name, value] of Object.entries(terms)) {
      await dispatched(dispatcher, { intent: 'x', topK: 3, [name]: value });
    }
    expect(asked).toEqual(Array(7).fill({ intent: 'x', topK: 3 }));
  });
});

it('a clarify that is answered is carried out for the request that was asked about', async () => {
  const { url, seen } = await agent(200, { result: 1 });
  const { dispatcher } = setUp({
    instances: [url],
    route: async () => routed(ROUTED, { intent: 'asked', payload: { a: 1 } }),
  });
  await dispatched(dispatcher, { routeId: 'rt_1', choice: 'reports/weekly' });
  expect(seen[0]?.body).toMatchObject({ intent: 'asked', payload: { a: 1 } });
});

describe('a decision that names nobody', () => {
  it.each(['clarify', 'human'] as const)('%s is handed off without an attempt', async (outcome) => {
    const { dispatcher } = setUp({ decision: { outcome, targetAgent: null, capabilityId: null } });
    const answer = await dispatched(dispatcher, { intent: 'x' });
    expect(answer).toMatchObject({ state: 'handed_off', attempts: [], decision: { outcome } });
    expect(answer).not.toHaveProperty('error');
  });

  it('unreachable is a failure that says when to come back', async () => {
    const { dispatcher } = setUp({ decision: { outcome: 'unreachable', retryAfterMs: 500 } });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      state: 'failed',
      error: { code: 'AGENT_UNREACHABLE', retryable: true, retryAfterMs: 500 },
      attempts: [],
    });
  });

  it.each([{ targetAgent: 'gone' }, { capabilityId: 'gone' }])('%j: left the catalogue', async (decision) => {
    const { dispatcher } = setUp({ decision });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      state: 'failed',
      error: { code: 'AGENT_UNREACHABLE' },
    });
  });

  it('no instance', async () => {
    const { dispatcher } = setUp({ decision: { instanceId: null } });
    const answer = await dispatched(dispatcher, { intent: 'x' });
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'AGENT_UNREACHABLE' }, attempts: [] });
  });
});

describe('the payload', () => {
  const needsTeam = (_: string, payload: unknown): PayloadCheck =>
    Object.hasOwn(payload as object, 'team')
      ? { missing: [], errors: [] }
      : {
          missing: ['/team'],
          errors: [
            { pointer: '', expected: 'a team', received: 'an object' },
            { pointer: '/team', expected: 'a value', received: 'nothing' },
          ],
        };

  it('is checked before anything is sent', async () => {
    const { url, seen } = await agent(200, { result: 1 });
    const { dispatcher } = setUp({ instances: [url], check: needsTeam });
    for (const payload of [{ other: 1 }, {}, null]) {
      await expect(dispatched(dispatcher, { intent: 'x', payload })).rejects.toMatchObject({
        code: 'PAYLOAD_INVALID',
        errors: [
          { pointer: '/payload', expected: 'a team', received: 'an object' },
          { pointer: '/payload/team', received: 'nothing' },
        ],
      });
    }
    expect(seen).toHaveLength(0);
  });

  it('is an object even where there is none', async () => {
    const { url, seen } = await agent(200, { result: 1 });
    const { dispatcher } = setUp({ instances: [url] });
    await dispatched(dispatcher, { intent: 'x' });
    await dispatched(dispatcher, { intent: 'x', payload: null });
    expect(seen.map(({ body }) => body.payload)).toEqual([{}, {}]);
  });

  it('meant for somebody else reaches the fallback agent only if it fits', async () => {
    const { url, seen } = await agent(200, { result: 1 });
    const { dispatcher } = setUp({ instances: [url], check: needsTeam, decision: { outcome: 'fallback' } });
    await dispatched(dispatcher, { intent: 'x', payload: { other: 1 } });
    await dispatched(dispatcher, { intent: 'x', payload: { team: 't' } });
    expect(seen.map(({ body }) => body.payload)).toEqual([null, { team: 't' }]);
  });

  it('that the agent refuses is not tried elsewhere', async () => {
    const errors = [{ pointer: '/payload/team', expected: 'a team', received: 'the string "x"' }];
    const first = await agent(422, { detail: 'no such team', errors });
    const second = await agent(200, { result: 1 });
    const { dispatcher, table } = setUp({
      instances: [first.url, second.url],
      capability: { idempotent: true },
    });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      state: 'failed',
      error: { code: 'PAYLOAD_INVALID', retryable: false, errors },
      attempts: [{ instanceId: 'a', outcome: 'refused', errorCode: 'PAYLOAD_INVALID' }],
    });
    expect(second.seen).toHaveLength(0);
    expect(table.told).toMatchObject([{ outcome: 'refused' }]);
  });
});

describe('a failed attempt', () => {
  it('that sent nothing is made up for by another instance', async () => {
    const second = await agent(200, { result: 2 });
    const { dispatcher, table } = setUp({ instances: [await goneAddress(), second.url] });
    const answer = await dispatched(dispatcher, { intent: 'x' });
    expect(answer).toMatchObject({
      state: 'completed',
      result: 2,
      attempts: [
        { instanceId: 'a', outcome: 'failed', errorCode: 'AGENT_UNREACHABLE' },
        { instanceId: 'b', outcome: 'completed' },
      ],
    });
    expect(second.seen[0]?.headers).toMatchObject({
      'x-reach-attempt': '2',
      'x-reach-request-id': answer.requestId,
      'idempotency-key': answer.requestId,
    });
    expect(table.told.map(({ outcome }) => outcome)).toEqual(['unreachable', 'completed']);
  });

  it.each([429, 503])('%i: busy, is made up for by another instance', async (status) => {
    const [first, second] = [await agent(status, {}), await agent(200, { result: 2 })];
    const { dispatcher, table } = setUp({ instances: [first.url, second.url] });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({ state: 'completed', result: 2 });
    expect(table.told.map(({ outcome }) => outcome)).toEqual(['busy', 'completed']);
  });

  it.each([401, 403])('%i: a login is missing, which is not counted as unreachable', async (status) => {
    const { url } = await agent(status, {});
    const { dispatcher, table } = setUp({ instances: [url] });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      error: { code: 'AGENT_NEEDS_AUTH' },
    });
    expect(table.told).toMatchObject([{ outcome: 'needs_auth' }]);
    expect(table.instancesOf('reports')).toMatchObject([{ state: 'needs_auth' }]);
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      error: {
        code: 'AGENT_UNREACHABLE',
        detail: 'no instance can take work now: a is needs_auth (a call found a login missing)',
        retryAfterMs: 60_000,
      },
    });
  });

  it('says when a busy agent may be asked again', async () => {
    const { url } = await agent(503, {}, { 'retry-after': '7' });
    const { dispatcher } = setUp({ instances: [url] });
    expect(await dispatched(dispatcher, { intent: 'x' })).toMatchObject({
      state: 'failed',
      error: { code: 'AGENT_BUSY', retryable: true, retryAfterMs: 7_000 },
      attempts: [{ errorCode: 'AGENT_BUSY' }],
    });
  });

  it.each([
    [false, 'failed', 1],
    [true, 'completed', 2],
  ])('that may have done the work, idempotent %s: %s after %i attempts', async (idempotent, state, count) => {
    const [first, second] = [await agent(500, {}), await agent(200, { result: 2 })];
    const { dispatcher } = setUp({ instances: [first.url, second.url], capability: { idempotent } });
    const answer = await dispatched(dispatcher, { intent: 'x' });
    expect(answer.state).toBe(state);
    expect(answer.attempts).toHaveLength(count);
    expect(second.seen).toHaveLength(count - 1);
  });

  it('is told in the words of the agent, joined to why it was the last', async () => {
    const { url } = await agent(500, { detail: 'The answer could not be computed.' });
    const { dispatcher } = setUp({ instances: [url] });
    expect((await dispatched(dispatcher, { intent: 'x' })).error?.detail).toMatch(
      /: The answer could not be computed; not tried again, /,
    );
  });

  it('is made up for as often as the policy allows, not for ever', async () => {
    const third = await agent(200, { result: 3 });
    const { dispatcher } = setUp({ instances: [await goneAddress(), await goneAddress(), third.url] });
    const answer = await dispatched(dispatcher, { intent: 'x', retryPolicy: { maxAttempts: 2 } });
    expect(answer).toMatchObject({ state: 'failed', error: { code: 'AGENT_UNREACHABLE' } });
    expect(answer.attempts.map(({ instanceId }) => instanceId)).toEqual(['a', 'b']);
    expect(third.seen).toHaveLength(0);
  });

  it('by the death of the process is made up for where that does no harm', async () => {
    const dying = await mortalAgent();
    const second = await agent(200, { result: 2 });
    const { dispatcher, table } = setUp({
      instances: [dying.address, second.url],
      capability: { idempotent: true },
    });
    const answer = dispatched(dispatcher, { intent: 'x' });
    await dying.working();
    await dying.kill();
    expect(await answer).toMatchObject({
      state: 'completed',
      attempts: [{ outcome: 'failed', errorCode: 'AGENT_FAILED' }, { outcome: 'completed' }],
    });
    expect(table.told.map(({ outcome }) => outcome)).toEqual(['unreachable', 'completed']);
    expect(table.instancesOf('reports')).toMatchObject([{ suspect: true }, { suspect: false }]);
  });
});

describe('deadlines', () => {
  const silent = () => rawServer(() => {});

  it.each([
    ['of the request', { executeMs: 200 }, { timeoutMs: 60_000 }, { deadlineMs: 60_000 }],
    ['of a rule', undefined, { timeoutMs: 200 }, { deadlineMs: 60_000 }],
    ['of the capability', undefined, {}, { deadlineMs: 200 }],
  ])('%s end an attempt', async (_, deadlines, decision, capability) => {
    const [first, second] = [await silent(), await agent(200, { result: 1 })];
    const { dispatcher, table } = setUp({
      instances: [first.url, second.url],
      decision,
      capability: { ...capability, idempotent: true },
    });
    const request = { intent: 'x', ...(deadlines === undefined ? {} : { deadlines }) };
    expect(await dispatched(dispatcher, request)).toMatchObject({
      state: 'failed',
      error: { code: 'DEADLINE_EXCEEDED', retryable: true },
      attempts: [{ instanceId: 'a', outcome: 'timeout', errorCode: 'DEADLINE_EXCEEDED' }],
    });
    expect(table.told).toMatchObject([{ outcome: 'timeout' }]);
  });

  it('give a second attempt what the first has left', async () => {
    const slow = await httpServer((_, response) => {
      setTimeout(() => response.writeHead(503).end(), 300);
    });
    const second = await agent(200, { result: 1 });
    const { dispatcher } = setUp({ instances: [slow.url, second.url] });
    await dispatched(dispatcher, { intent: 'x', deadlines: { executeMs: 10_000 } });
    const left = Number(second.seen[0]?.headers['x-reach-timeout-ms']);
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(9_701);
  });

  it.each([
    ['P0', 5_000],
    ['P1', 5_000],
    ['P2', 30_000],
  ] as const)('default for %s: %i ms', async (lane, executeMs) => {
    const { url, seen } = await agent(200, { result: 1 });
    const { dispatcher } = setUp({ instances: [url] });
    await dispatched(dispatcher, { intent: 'x', lane });
    const sent = Number(seen[0]?.headers['x-reach-timeout-ms']);
    expect(sent).toBeGreaterThan(executeMs - 4_000);
    expect(sent).toBeLessThanOrEqual(executeMs);
  });

  it('end routing, and tell it so', async () => {
    let reason: unknown;
    const { dispatcher } = setUp({
      route: (_, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason;
            reject(signal.reason);
          });
        }),
    });
    const late = dispatched(dispatcher, { intent: 'x', lane: 'P0' });
    await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
    expect(reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  });
});

describe('limits and the end', () => {
  it('passes on what routing throws', async () => {
    const { dispatcher } = setUp({
      route: async () => {
        throw new ReachError('AGENT_UNKNOWN', 'nobody');
      },
    });
    await expect(dispatched(dispatcher, { agentName: 'nobody' })).rejects.toMatchObject({
      code: 'AGENT_UNKNOWN',
    });
  });

  it('takes no more than it can hold, and room comes back', async () => {
    const held: ((decision: Decision) => void)[] = [];
    const { dispatcher } = setUp({
      route: (request) =>
        new Promise((resolve) => held.push((decision) => resolve(routed(decision, request)))),
    });
    const request = { intent: 'x', deadlines: { seekMs: 60_000 } };
    const running = Array.from({ length: MAX_DISPATCHES }, () => dispatched(dispatcher, request));
    await expect(dispatched(dispatcher, request)).rejects.toMatchObject({
      code: 'OVERLOADED',
      retryAfterMs: expect.any(Number),
    });
    for (const resolve of held) resolve({ ...ROUTED, outcome: 'human' });
    await Promise.all(running);
    const after = dispatched(dispatcher, request);
    held.at(-1)?.({ ...ROUTED, outcome: 'human' });
    expect(await after).toMatchObject({ state: 'handed_off' });
  });

  it('begins what waits for an agent that is published anew with more room', async () => {
    const held: (() => void)[] = [];
    const slow = await httpServer((_, response) => void held.push(() => response.end('{"result":1}')));
    const { dispatcher, catalogue } = setUp({ instances: [slow.url], manifest: { maxConcurrency: 1 } });
    const running = [1, 2].map(() => dispatched(dispatcher, { intent: 'x', deadlines: { seekMs: 60_000 } }));
    await until(() => held.length === 1 && dispatcher.queues()[0]?.waiting.P1 === 1);
    catalogue.publish({
      agentName: 'reports',
      capabilities: [{ id: 'weekly' }],
      instances: instancesAt([slow.url]),
      maxConcurrency: 10,
    });
    await until(() => held.length === 2);
    for (const answer of held) answer();
    for (const answer of await Promise.all(running)) expect(answer.state).toBe('completed');
  });

  it('sends nothing more to an agent that is removed: who waits for it hears at once', async () => {
    const held: (() => void)[] = [];
    const slow = await httpServer((_, response) => void held.push(() => response.end('{"result":1}')));
    const { dispatcher, catalogue } = setUp({ instances: [slow.url], manifest: { maxConcurrency: 1 } });
    const [first, ...others] = [1, 2, 3].map(() =>
      dispatched(dispatcher, { intent: 'x', deadlines: { seekMs: 60_000 } }),
    );
    await until(() => held.length === 1 && dispatcher.queues()[0]?.waiting.P1 === 2);
    catalogue.remove('reports');
    for (const answer of await Promise.all(others))
      expect(answer).toMatchObject({ state: 'failed', error: { code: 'AGENT_UNREACHABLE' } });
    expect(held).toHaveLength(1);
    held[0]?.();
    expect(await first).toMatchObject({ state: 'completed' });
  });

  it('lets running work end before it closes, and takes nothing new', async () => {
    const held: (() => void)[] = [];
    const slow = await httpServer((_, response) => void held.push(() => response.end('{"result":1}')));
    const { dispatcher } = setUp({ instances: [slow.url] });
    const running = dispatched(dispatcher, { intent: 'x' });
    await until(() => held.length === 1);
    let closed = false;
    const closing = dispatcher.close().then(() => {
      closed = true;
    });
    await expect(dispatched(dispatcher, { intent: 'x' })).rejects.toMatchObject({ code: 'CLOSED' });
    await wait(100);
    expect(closed).toBe(false);
    held[0]?.();
    expect(await running).toMatchObject({ state: 'completed' });
    await closing;
  });

  it('closes at once when nothing runs, and once', async () => {
    const { dispatcher } = setUp({});
    expect(dispatcher.close()).toBe(dispatcher.close());
    await dispatcher.close();
  });

  it('closes although an agent never answers, at the deadline', async () => {
    const silent = await rawServer(() => {});
    const { dispatcher } = setUp({ instances: [silent.url] });
    const running = dispatched(dispatcher, { intent: 'x', deadlines: { executeMs: 300 } });
    await dispatcher.close();
    expect(await running).toMatchObject({ error: { code: 'DEADLINE_EXCEEDED' } });
  });
});
