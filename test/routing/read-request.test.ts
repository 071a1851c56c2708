import { expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { readRequest } from '../../src/routing/read-request.js';

function faultOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    if (error instanceof ReachError) return { code: error.code, pointer: error.errors[0]?.pointer };
    throw error;
  }
  return undefined;
}

test('an intent is trimmed and must have 1 to 20,000 characters', () => {
  expect(readRequest({ intent: '  hi ' }, undefined)).toMatchObject({ kind: 'find', intent: 'hi' });
  const fault = { code: 'INVALID_REQUEST', pointer: '/intent' };
  expect(faultOf(() => readRequest({ intent: ' \n ' }, undefined))).toEqual(fault);
  expect(faultOf(() => readRequest({ intent: 'x'.repeat(20_001) }, undefined))).toEqual(fault);
  expect(faultOf(() => readRequest({}, undefined))).toEqual(fault);
  expect(readRequest({ intent: ` ${'x'.repeat(20_000)} ` }, undefined).kind).toBe('find');
});

test('a capability is named by agent_name and id, or by both in one', () => {
  const expected = { kind: 'capability', agentName: 'orders', capabilityId: 'a/b' };
  expect(readRequest({ agentName: 'orders', capabilityId: 'a/b' }, undefined)).toMatchObject(expected);
  expect(readRequest({ capabilityId: 'orders/a/b' }, undefined)).toMatchObject(expected);
  expect(faultOf(() => readRequest({ capabilityId: 'orders' }, undefined))).toEqual({
    code: 'INVALID_REQUEST',
    pointer: '/capability_id',
  });
});

test('the limits of an intent hold for named capabilities too, and it is trimmed for them', () => {
  const named = { capabilityId: 'orders/status' };
  expect(faultOf(() => readRequest({ ...named, intent: ' ' }, undefined))).toMatchObject({
    pointer: '/intent',
  });
  expect(readRequest({ ...named, intent: ' hi ' }, undefined).request.intent).toBe('hi');
});

test('an agent outside the filter of the caller leaves nobody', () => {
  const request = { agentName: 'orders', intent: 'hi', filter: { agents: ['reports'], tags: ['kpi'] } };
  expect(readRequest(request, undefined).request.filter).toEqual({ agents: [], tags: ['kpi'] });
});

test('an agent with an intent keeps the search within the agent', () => {
  expect(readRequest({ agentName: 'orders', intent: 'hi' }, undefined)).toMatchObject({
    kind: 'find',
    request: { filter: { agents: ['orders'] } },
  });
});

test('a choice answers a clarify with the payload that was asked about', () => {
  const question = {
    routeId: 'r',
    resumed: false,
    request: { intent: 'hi', payload: { a: 1 } },
    target: undefined,
    choices: ['orders/status', 'orders/list'],
  };
  expect(readRequest({ routeId: 'r', choice: 'orders/status' }, question)).toMatchObject({
    kind: 'capability',
    agentName: 'orders',
    capabilityId: 'status',
    request: { intent: 'hi', payload: { a: 1 } },
    question,
  });
  expect(faultOf(() => readRequest({ routeId: 'r', choice: 'secret/thing' }, question))).toEqual({
    code: 'INVALID_REQUEST',
    pointer: '/choice',
  });
  expect(faultOf(() => readRequest({ intent: 'hi', choice: 'orders/status' }, undefined))).toEqual({
    code: 'INVALID_REQUEST',
    pointer: '/choice',
  });
});

test('a fuller payload answers a clarify about missing fields', () => {
  const question = {
    routeId: 'r',
    resumed: false,
    request: { intent: 'hi', payload: { a: 1 } },
    target: { agentName: 'orders', capabilityId: 'status' },
    choices: ['orders/status'],
  };
  expect(readRequest({ routeId: 'r', payload: { a: 1, b: 2 } }, question)).toMatchObject({
    kind: 'capability',
    agentName: 'orders',
    request: { payload: { a: 1, b: 2 } },
    question,
  });
});
