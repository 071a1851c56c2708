import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
import { standInReach } from '../support/stand-in-reach.js';

const json = { 'content-type': 'application/json' };

async function door(changes: Partial<Reach> = {}): Promise<FastifyInstance> {
  const app = await createHttpApp(
    { ...standInReach(), ...changes },
    new WorkGate(),
    pino({ level: 'silent' }),
  );
  onTestFinished(() => app.close());
  return app;
}

test('requests are listed by state, as many as asked for', async () => {
  const queries: unknown[] = [];
  const app = await door({
    async requests(query) {
      queries.push(query);
      return standInReach().requests(query);
    },
  });
  const listed = await app.inject('/api/v1/requests?state=retry_waiting&limit=7');
  expect(listed.json()).toEqual({
    requests: [
      {
        request_id: 'rq_1',
        state: 'retry_waiting',
        lane: 'P1',
        mode: 'async',
        accepted_at: '2026-01-02T03:04:05.678Z',
        deadline_at: '2026-01-02T03:14:05.678Z',
      },
    ],
  });
  await app.inject('/api/v1/requests');
  expect(queries).toEqual([{ state: 'retry_waiting', limit: 7 }, {}]);
});

test.each([
  '/api/v1/requests?state=lost',
  '/api/v1/requests?limit=0',
  '/api/v1/requests?limit=101',
  '/api/v1/requests?page=1',
  '/api/v1/requests/a%20b',
  '/api/v1/requests/%E6%8A%A5/events',
  `/api/v1/requests/${'a'.repeat(129)}`,
])('GET %s is refused', async (url) => {
  const response = await (await door()).inject(url);
  expect([response.statusCode, response.json().code]).toEqual([422, 'INVALID_REQUEST']);
});

test('a request is shown with its states', async () => {
  const app = await door();
  expect((await app.inject('/api/v1/requests/rq_1')).json()).toMatchObject({
    request_id: 'rq_1',
    history: [{ state: 'routing' }, { state: 'delivered', attempt: 1 }],
    answer: null,
    callback: null,
  });
  for (const path of ['', '/events']) {
    const unknown = await app.inject(`/api/v1/requests/rq_2${path}`);
    expect([unknown.statusCode, unknown.json().code]).toEqual([404, 'REQUEST_UNKNOWN']);
  }
});

test('a follower gets the events from the first on, or after the one that it names', async () => {
  const app = await door();
  const ids = async (headers: Record<string, string>) => {
    const { body } = await app.inject({ url: '/api/v1/requests/rq_1/events', headers });
    return [...body.matchAll(/^id: (\d+)$/gm)].map(([, id]) => id);
  };
  expect(await ids({})).toEqual(['1', '2', '3']);
  expect(await ids({ 'last-event-id': '2' })).toEqual(['3']);
  expect(await ids({ 'last-event-id': '999999999999999' })).toEqual([]);
});

test.each(['', '-1', '1.5', 'abc', '1e3', '9'.repeat(400)])(
  'a bad last-event-id (%j) is refused',
  async (lastEventId) => {
    const headers = { 'last-event-id': lastEventId };
    const response = await (await door()).inject({ url: '/api/v1/requests/rq_1/events', headers });
    expect(response.statusCode).toBe(422);
    expect(response.json().errors[0].pointer).toBe('/last-event-id');
  },
);

test('a request is cancelled; a cancel after the end is 409', async () => {
  const app = await door();
  const cancelled = await app.inject({ method: 'POST', url: '/api/v1/requests/rq_1/cancel' });
  expect([cancelled.statusCode, cancelled.json().state]).toEqual([200, 'cancelled']);
  const ended = await door({
    async cancel() {
      throw new ReachError('REQUEST_ENDED', 'It is completed.');
    },
  });
  expect((await ended.inject({ method: 'POST', url: '/api/v1/requests/rq_1/cancel' })).statusCode).toBe(409);
});

const replying = (query: string, payload: object) => ({
  method: 'POST' as const,
  url: `/api/v1/requests/rq_1/reply${query}`,
  headers: json,
  payload,
});

test('an agent answers with its token, up to as much as an answer may be', async () => {
  const replies: unknown[] = [];
  const app = await door({
    async reply(...given) {
      replies.push(given);
      return standInReach().reply(...given);
    },
  });
  const reply = { state: 'completed', result: { a_b: 1 }, need_human_handoff: false };
  const heard = await app.inject(replying('?token=t', reply));
  expect([heard.statusCode, heard.json()]).toEqual([200, { request_id: 'rq_1' }]);
  expect(replies).toEqual([
    ['rq_1', 't', { state: 'completed', result: { a_b: 1 }, needHumanHandoff: false }],
  ]);
  const long = (bytes: number) => replying('?token=t', { state: 'completed', result: 'x'.repeat(bytes) });
  expect((await app.inject(long(16_000_000))).statusCode).toBe(200);
  expect((await app.inject(long(17_000_000))).statusCode).toBe(413);
});

test.each([
  ['no token', '', { state: 'completed' }, 422],
  ['an empty token', '?token=', { state: 'completed' }, 422],
  ['a token of another request', '?token=u', { state: 'completed' }, 404],
  ['a state that is none', '?token=t', { state: 'done' }, 422],
  ['an unknown field', '?token=t', { state: 'completed', colour: 'red' }, 422],
])('a reply with %s is refused', async (_, query, payload, status) => {
  expect((await (await door()).inject(replying(query, payload))).statusCode).toBe(status);
});

test('the queues are shown by agent and lane', async () => {
  expect((await (await door()).inject('/api/v1/queues')).json()).toEqual({
    agents: [
      {
        agent_name: 'report-agent',
        instances: [
          {
            instance_id: 'a',
            lanes: { P0: { slots: 10, used: 1 }, P1: { slots: 6, used: 6 }, P2: { slots: 3, used: 0 } },
          },
        ],
        waiting: { P0: 0, P1: 4, P2: 0 },
      },
    ],
    requests: { waiting: { P0: 0, P1: 0, P2: 12 }, running: { P0: 0, P1: 0, P2: 256 } },
  });
});
