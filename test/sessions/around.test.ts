import { expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import type { Conversation } from '../../src/routing/conversation.js';
import { aroundCarryOut } from '../../src/sessions/around-carry-out.js';
import { aroundRoute } from '../../src/sessions/around-route.js';
import type { SessionStore } from '../../src/sessions/session-store.js';
import { Sessions } from '../../src/sessions/sessions.js';
import { MemorySessionStore } from '../../src/storage/memory/session-store.js';
import type { DispatchAnswer, DispatchRequest } from '../../src/wire/dispatch.js';
import { HandClock } from '../support/hand-clock.js';
import { MemoryLife } from '../support/request-life.js';
import { decision } from '../support/stand-in-reach.js';

const FAILING = new Proxy({} as SessionStore, {
  get: () => async () => {
    throw new ReachError('STORE_UNAVAILABLE', 'The disk is gone.');
  },
});
const HANGING = new Proxy({} as SessionStore, { get: () => () => new Promise(() => {}) });
const LIFE = new MemoryLife();
const END = { signal: new AbortController().signal };

function over(store: SessionStore) {
  const clock = new HandClock();
  const sessions = new Sessions({ store, team: 't', clock });
  const seen: Conversation[] = [];
  const route = aroundRoute(async (request, _, conversation) => {
    seen.push(conversation);
    return { decision, request, standIns: [], degrade: undefined, affinity: undefined };
  }, sessions);
  return { clock, sessions, seen, route };
}

const attempt = {
  agentName: 'report-agent',
  instanceId: 'a',
  capabilityId: 'weekly-summary',
  startedAt: 'now',
  elapsedMs: 1,
} as const;

const answer: DispatchAnswer = {
  requestId: 'rq_1',
  state: 'completed',
  reply: 'done',
  entities: { order: 7 },
  degraded: false,
  decision,
  attempts: [
    { ...attempt, instanceId: 'b', outcome: 'timeout' },
    { ...attempt, outcome: 'completed' },
  ],
  waitedMs: 0,
  elapsedMs: 1,
};

const instances = {
  instancesOf: (agentName: string) =>
    [{ agentName, instanceId: 'a', version: '2.1' }] as unknown as ReturnType<
      Parameters<typeof aroundCarryOut>[1]['instances']['instancesOf']
    >,
};

function carryOutOver({ sessions, clock }: ReturnType<typeof over>, given: DispatchAnswer = answer) {
  return aroundCarryOut(async (_: DispatchRequest) => given, { sessions, instances, clock });
}

test('the next request of a session knows what came of the one before', async () => {
  const rooms = over(new MemorySessionStore());
  expect(await carryOutOver(rooms)({ intent: '周报', sessionId: 's', userId: 'u' }, LIFE)).toBe(answer);
  const { session, sessionUnavailable } = await rooms.route({ intent: 'and?', sessionId: 's' }, END);
  expect(sessionUnavailable).toBeUndefined();
  expect(rooms.seen).toEqual([
    {
      affinity: { agentName: 'report-agent', version: '2.1' },
      topic: { intent: '周报', agentName: 'report-agent', capabilityId: 'weekly-summary' },
    },
  ]);
  const at = new Date(0).toISOString();
  expect(session).toEqual({
    session_id: 's',
    user_id: 'u',
    revision: 1,
    entities: { order: 7 },
    rounds: [
      { at, intent: '周报', agent_name: 'report-agent', capability_id: 'weekly-summary', reply: 'done' },
    ],
  });
});

test('without a session nothing is read, and an agent is told of the user alone', async () => {
  const rooms = over(FAILING);
  expect(await rooms.route({ intent: 'x', userId: 'u' }, END)).toMatchObject({ session: { user_id: 'u' } });
  expect(await rooms.route({ intent: 'x' }, END)).toMatchObject({ session: undefined });
  expect(await carryOutOver(rooms)({ intent: 'x' }, LIFE)).toBe(answer);
  expect(rooms.seen).toEqual([{}, {}]);
});

test('a session that cannot be read is gone on without, and the answer says so', async () => {
  const failing = over(FAILING);
  const routed = await failing.route({ intent: 'x', sessionId: 's' }, END);
  expect(routed).toMatchObject({ decision, session: { session_id: 's' }, sessionUnavailable: true });
  expect(failing.seen).toEqual([{}]);

  const hanging = over(HANGING);
  const routing = hanging.route({ intent: 'x', sessionId: 's' }, END);
  hanging.clock.pass(99);
  await Promise.resolve();
  expect(hanging.seen).toEqual([]);
  hanging.clock.pass(1);
  expect(await routing).toMatchObject({ sessionUnavailable: true });
});

test('a session that cannot be written fails nothing, and the answer says so', async () => {
  const request = { intent: 'x', sessionId: 's' };
  expect(await carryOutOver(over(FAILING))(request, LIFE)).toEqual({ ...answer, sessionUnavailable: true });
  const hanging = over(HANGING);
  const carried = carryOutOver(hanging)(request, LIFE);
  await Promise.resolve();
  hanging.clock.pass(1_000);
  expect(await carried).toEqual({ ...answer, sessionUnavailable: true });
});

test('where the session could not be read, or nothing was decided, nothing is written', async () => {
  const rooms = over(new MemorySessionStore());
  const request = { intent: 'x', sessionId: 's' };
  await carryOutOver(rooms, { ...answer, sessionUnavailable: true })(request, LIFE);
  await carryOutOver(rooms, { ...answer, decision: null })(request, LIFE);
  expect(await rooms.sessions.list(10)).toEqual([]);
});

test('what an agent writes meanwhile stays', async () => {
  const rooms = over(new MemorySessionStore());
  const carryOut = aroundCarryOut(
    async (_: DispatchRequest) => {
      await rooms.sessions.replace('s', { summary: 'by the agent', entities: { mine: 1 } }, 0);
      return answer;
    },
    { sessions: rooms.sessions, instances, clock: rooms.clock },
  );
  await carryOut({ intent: 'x', sessionId: 's' }, LIFE);
  expect(await rooms.sessions.get('s')).toMatchObject({
    summary: 'by the agent',
    entities: { mine: 1, order: 7 },
    rounds: [{ reply: 'done' }],
    revision: 2,
  });
});
