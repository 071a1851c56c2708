import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { DecisionStream } from '../../src/live/decision-stream.js';
import type { RouteRequest } from '../../src/wire/route.js';
import { eventsOf } from '../support/events-of.js';
import { decision } from '../support/stand-in-reach.js';

const includes = (text: string) => ({ kind: 'text', text }) as const;

function decide(stream: DecisionStream, request: RouteRequest, routeId = 'rt_1'): void {
  stream.decided({ atMs: 5, request, decision: { ...decision, routeId } });
}

test('a watched decision has its intent, the types of its payload, and the candidates that are explained', async () => {
  const stream = new DecisionStream();
  const watching = stream.watch(undefined);
  const explained = { ...decision, candidates: decision.candidates.slice(1) };
  const payload = { week: 48, since: null, rows: [], by: { team: 'x' }, secret: 'hunter2', all: true };
  stream.decided({ atMs: 5, request: { intent: 'weekly report', payload }, decision, explained });
  const [event] = await eventsOf(watching, 1);
  const { routeId, outcome, reason, targetAgent, capabilityId, instanceId, confidence, threshold, timingMs } =
    decision;
  expect(event).toEqual({
    event: 'decision',
    data: {
      routeId,
      at: '1970-01-01T00:00:00.005Z',
      intent: 'weekly report',
      payloadFields: {
        week: 'integer',
        since: 'null',
        rows: 'array',
        by: 'object',
        secret: 'string',
        all: 'boolean',
      },
      ...{ outcome, reason, targetAgent, capabilityId, instanceId, confidence, threshold, timingMs },
      candidates: explained.candidates,
    },
  });
});

test('a decision is wanted explained as long as somebody watches for it', () => {
  const stream = new DecisionStream();
  const stop = new AbortController();
  expect(stream.wantsExplained({ intent: 'a report' })).toBe(false);
  stream.watch(includes('report'), stop.signal);
  expect(stream.wantsExplained({ intent: 'a report' })).toBe(true);
  expect(stream.wantsExplained({ intent: 'an order' })).toBe(false);
  expect(stream.wantsExplained({ agentName: 'reports' })).toBe(false);
  stop.abort();
  expect(stream.wantsExplained({ intent: 'a report' })).toBe(false);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  stream.watch(undefined, AbortSignal.abort());
  expect(stream.wantsExplained({ intent: 'a report' })).toBe(false);
});

test('each watcher gets what its pattern fits; without one also what names no intent', async () => {
  const stream = new DecisionStream();
  const [all, orders] = [stream.watch(undefined), stream.watch(includes('order'))];
  decide(stream, { agentName: 'reports' }, 'rt_1');
  decide(stream, { intent: 'an order' }, 'rt_2');
  expect(await eventsOf(all, 2)).toMatchObject([
    { data: { routeId: 'rt_1', intent: null } },
    { data: { routeId: 'rt_2' } },
  ]);
  expect(await eventsOf(orders, 1)).toMatchObject([{ data: { routeId: 'rt_2' } }]);
});

test('a slow watcher loses the oldest beyond 1,000, is told how many, and another loses none', async () => {
  const stream = new DecisionStream();
  const [slow, fast] = [stream.watch(undefined), stream.watch(undefined)];
  for (let i = 1; i <= 1_500; i += 1) {
    decide(stream, { intent: 'x' }, `rt_${i}`);
    expect(await eventsOf(fast, 1)).toMatchObject([{ event: 'decision', data: { routeId: `rt_${i}` } }]);
  }
  const events = await eventsOf(slow, 1_001);
  expect(events[0]).toEqual({ event: 'lost', data: { count: 500 } });
  expect(events[1]).toMatchObject({ data: { routeId: 'rt_501' } });
  expect(events[1_000]).toMatchObject({ data: { routeId: 'rt_1500' } });
  decide(stream, { intent: 'x' }, 'rt_1501');
  expect(await eventsOf(slow, 1)).toMatchObject([{ event: 'decision', data: { routeId: 'rt_1501' } }]);
});

test('leaving the loop, also while it waits, ends the watch', async () => {
  const stream = new DecisionStream();
  const { signal } = new AbortController();
  const iterator = stream.watch(undefined, signal)[Symbol.asyncIterator]();
  const waiting = iterator.next();
  await iterator.return?.();
  expect(await waiting).toEqual({ done: true, value: undefined });
  expect(getEventListeners(signal, 'abort')).toEqual([]);
  expect(stream.wantsExplained({ intent: 'x' })).toBe(false);
});

test('closing ends every watch', async () => {
  const stream = new DecisionStream();
  const next = stream.watch(undefined)[Symbol.asyncIterator]().next();
  stream.close();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(stream.wantsExplained({ intent: 'x' })).toBe(false);
});
