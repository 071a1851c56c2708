import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
import type { DispatchRequest } from '../../src/wire/dispatch.js';
import type { RequestEvent } from '../../src/wire/requests.js';
import { standInReach } from '../support/stand-in-reach.js';
import { answer } from '../support/stand-in-requests.js';

async function door(changes: Partial<Reach> = {}): Promise<FastifyInstance> {
  const app = await createHttpApp(
    { ...standInReach(), ...changes },
    new WorkGate(),
    pino({ level: 'silent' }),
  );
  onTestFinished(() => app.close());
  return app;
}

const dispatching = (body: object, headers: Record<string, string> = {}): InjectOptions => ({
  method: 'POST',
  url: '/api/v1/dispatch',
  headers: { 'content-type': 'application/json', ...headers },
  payload: JSON.stringify(body),
});

test('an answer of the agent is 200, whether it did well or not', async () => {
  const app = await door({
    dispatch: async () => ({
      ...answer,
      state: 'failed',
      error: { code: 'AGENT_FAILED', detail: 'It fell.', retryable: true, retryAfterMs: 5, errors: [] },
    }),
  });
  const response = await app.inject(dispatching({ intent: 'x' }));
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({
    state: 'failed',
    error: { retry_after_ms: 5 },
    request_id: 'rq_1',
  });
});

test.each([
  ['respond-async', true],
  ['Respond-Async; wait=5', true],
  ['wait=5, return=minimal, respond-async', true],
  ['', false],
  ['wait=5', false],
  ['respond-async-later', false],
  ['foo="a, respond-async, b"', false],
  ['foo="never closed, respond-async', false],
])(
  'prefer %j is read as RFC 7240 has it, and what it asks for besides is passed over',
  async (prefer, isAsync) => {
    const response = await (await door()).inject(
      dispatching({ intent: 'x', request_id: 'mine:1' }, { prefer }),
    );
    expect(response.statusCode).toBe(isAsync ? 202 : 200);
    expect(response.headers.location).toBe(isAsync ? '/api/v1/requests/mine:1' : undefined);
    expect(response.headers['preference-applied']).toBe(isAsync ? 'respond-async' : undefined);
    if (isAsync)
      expect(response.json()).toMatchObject({ request_id: 'mine:1', state: 'queued', mode: 'async' });
  },
);

test('a bad prefer, all quotes and escapes, is read in no time', async () => {
  const prefer = `${'"\\'.repeat(6_000)}, respond-async`;
  const startedAt = performance.now();
  const response = await (await door()).inject(dispatching({ intent: 'x' }, { prefer }));
  expect(response.statusCode).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});

test('a callback makes a request asynchronous, without a preference that was applied', async () => {
  const response = await (await door()).inject(
    dispatching({ intent: 'x', callback_url: 'https://hooks.example.com' }),
  );
  expect(response.statusCode).toBe(202);
  expect(response.headers.location).toBe('/api/v1/requests/rq_1');
  expect(response.headers).not.toHaveProperty('preference-applied');
});

test('an asynchronous request is not tied to its connection, and keeps its trace', async () => {
  const contexts: unknown[] = [];
  const app = await door({
    async dispatchLater(request, context) {
      contexts.push(context);
      return standInReach().dispatchLater(request);
    },
  });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  await app.inject(dispatching({ intent: 'x' }, { prefer: 'respond-async', traceparent }));
  expect(contexts).toEqual([{ traceparent }]);
});

test('the idempotency-key is the request_id, bare or in quotes', async () => {
  const seen: DispatchRequest[] = [];
  const app = await door({
    async dispatch(request) {
      seen.push(request);
      return answer;
    },
  });
  for (const key of ['a.b:c_d-1', '"a.b:c_d-1"']) {
    await app.inject(dispatching({ intent: 'x' }, { 'idempotency-key': key }));
    await app.inject(dispatching({ intent: 'x', request_id: 'a.b:c_d-1' }, { 'idempotency-key': key }));
  }
  expect(seen).toEqual(Array(4).fill({ intent: 'x', requestId: 'a.b:c_d-1' }));
});

test('an idempotency-key that is not the request_id is refused', async () => {
  const response = await (await door()).inject(
    dispatching({ intent: 'x', request_id: 'one' }, { 'idempotency-key': '"two"' }),
  );
  expect(response.statusCode).toBe(422);
  expect(response.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer: '/request_id' }] });
});

test.each(['', 'a b', '"half', 'ümlaut', '报', `${'a'.repeat(129)}`, 'a, b', '""', 'a/b', '../x', '..', '.'])(
  'bad request ids: %j is refused as key and as request_id',
  async (id) => {
    const app = await door();
    const inBody = await app.inject(dispatching({ intent: 'x', request_id: id }));
    expect([inBody.statusCode, inBody.json().errors[0].pointer]).toEqual([422, '/request_id']);
    if (/[^ -~]/.test(id)) return;
    const inHeader = await app.inject(dispatching({ intent: 'x' }, { 'idempotency-key': id }));
    expect([inHeader.statusCode, inHeader.json().errors[0].pointer]).toEqual([422, '/idempotency-key']);
  },
);

test.each([
  ['a deadline of 0', { deadlines: { seek_ms: 0 } }, '/deadlines/seek_ms'],
  ['a negative deadline', { deadlines: { execute_ms: -5 } }, '/deadlines/execute_ms'],
  ['a deadline of a year', { deadlines: { execute_ms: 31_536_000_000 } }, '/deadlines/execute_ms'],
  ['1,000 attempts asked for', { retry_policy: { max_attempts: 1_000 } }, '/retry_policy/max_attempts'],
  ['a lane that is none', { lane: 'P3' }, '/lane'],
])('%s: refused with its field', async (_, fields, pointer) => {
  const app = await door();
  for (const prefer of ['', 'respond-async']) {
    const response = await app.inject(dispatching({ intent: 'x', ...fields }, { prefer }));
    expect(response.statusCode).toBe(422);
    expect(response.json()).toMatchObject({ code: 'INVALID_REQUEST', errors: [{ pointer }] });
  }
});

const blocksOf = (body: string) => body.trim().split('\n\n').slice(1);

test.each([
  ['text/event-stream', true],
  ['text/event-stream, */*', true],
  ['application/json;q=0.5, text/event-stream', true],
  ['text/event-stream;q=0, application/json', false],
  ['application/json, text/event-stream', false],
  ['*/*', false],
])('accept %s', async (accept, isStream) => {
  const response = await (await door()).inject(dispatching({ intent: 'x' }, { accept }));
  expect(response.statusCode).toBe(200);
  expect(String(response.headers['content-type']).split(';')[0]).toBe(
    isStream ? 'text/event-stream' : 'application/json',
  );
});

test('as a stream, the events come in wire form and end with the answer', async () => {
  const response = await (await door()).inject(dispatching({ intent: 'x' }, { accept: 'text/event-stream' }));
  expect(response.headers).toMatchObject({
    'content-location': '/api/v1/requests/rq_1/events',
    'cache-control': 'no-store',
  });
  const [state, delta, last] = blocksOf(response.body);
  expect(state).toBe(
    'id: 1\nevent: state\ndata: {"state":"routing","at":"2026-01-02T03:04:05.678Z","node":"n1"}',
  );
  expect(delta).toBe('id: 2\nevent: delta\ndata: "周\\n报"');
  expect(last).toContain(
    'id: 3\nevent: answer\ndata: {"request_id":"rq_1","state":"completed","result":{"snake_key":1}',
  );
});

test('an asynchronous request may be followed from its acceptance', async () => {
  const response = await (await door()).inject(
    dispatching({ intent: 'x' }, { accept: 'text/event-stream', prefer: 'respond-async' }),
  );
  expect(response.statusCode).toBe(202);
  expect(response.headers).toMatchObject({
    location: '/api/v1/requests/rq_1',
    'preference-applied': 'respond-async',
    'content-type': 'text/event-stream',
  });
  expect(blocksOf(response.body)).toHaveLength(3);
});

async function* failingWith(error: unknown): AsyncGenerator<RequestEvent> {
  yield { event: 'state', id: 1, data: { state: 'routing', at: '2026-01-02T03:04:05.678Z', node: 'n1' } };
  throw error;
}

test('what goes wrong after a stream has begun is its last event', async () => {
  const error = new ReachError('PAYLOAD_INVALID', 'The payload lacks /week.');
  const app = await door({ dispatchStream: async () => ({ requestId: 'rq_1', events: failingWith(error) }) });
  const response = await app.inject(dispatching({ intent: 'x' }, { accept: 'text/event-stream' }));
  const last = blocksOf(response.body).at(-1) ?? '';
  expect(last).toMatch(/^event: problem\ndata: /);
  expect(JSON.parse(last.slice(last.indexOf('{')))).toMatchObject({ code: 'PAYLOAD_INVALID', status: 422 });
});

test('a fault inside that ends a stream tells the log, not the caller', async () => {
  const lines: string[] = [];
  const events = () => failingWith(new TypeError('cannot read /srv/secret/file.ts'));
  const reach = { ...standInReach(), dispatchStream: async () => ({ requestId: 'rq_1', events: events() }) };
  const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const app = await createHttpApp(reach, new WorkGate(), logger);
  onTestFinished(() => app.close());
  const response = await app.inject(dispatching({ intent: 'x' }, { accept: 'text/event-stream' }));
  expect(blocksOf(response.body).at(-1)).toContain('"code":"INTERNAL"');
  expect(response.body).not.toContain('secret');
  expect(lines.join()).toContain('/srv/secret/file.ts');
});

test('what is refused before a stream begins is a problem', async () => {
  const refuse = async () => {
    throw new ReachError('OVERLOADED', 'Too much.', { retryAfterMs: 1_200 });
  };
  const app = await door({ dispatchStream: refuse, dispatchLater: refuse });
  const headers = { accept: 'text/event-stream' };
  for (const more of [{}, { prefer: 'respond-async' }]) {
    const response = await app.inject(dispatching({ intent: 'x' }, { ...headers, ...more }));
    expect([response.statusCode, response.headers['retry-after']]).toEqual([503, '2']);
    expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  }
});

const batching = (body: object): InjectOptions => ({ ...dispatching(body), url: '/api/v1/batch' });

test('a batch is answered in the order asked, what is wrong with one in its place', async () => {
  const error = { code: 'PAYLOAD_INVALID', detail: 'No.', retryable: false, errors: [] };
  const app = await door({
    batch: async () => ({ state: 'completed', answers: [answer, { error }, null], elapsedMs: 3 }),
  });
  const response = await app.inject(
    batching({ requests: [{ intent: 'a' }, { intent: 'b' }, { intent: 'c' }], mode: 'first' }),
  );
  expect(response.statusCode).toBe(200);
  expect(response.json()).toMatchObject({
    state: 'completed',
    answers: [{ request_id: 'rq_1' }, { error }, null],
  });
});

test.each([
  ['no request', { requests: [] }, 422],
  ['a huge batch', { requests: Array(101).fill({ intent: 'x' }) }, 422],
  [
    'a batch of more than 1 MB',
    { requests: Array(100).fill({ intent: 'x', payload: { a: 'y'.repeat(11_000) } }) },
    413,
  ],
  ['an unknown mode', { requests: [{ intent: 'x' }], mode: 'most' }, 422],
  ['a thousand at once', { requests: [{ intent: 'x' }], concurrency: 1_000 }, 422],
  ['a callback of one', { requests: [{ intent: 'x', callback_url: 'https://a.example' }] }, 422],
])('%s is refused', async (_, body, status) => {
  expect((await (await door()).inject(batching(body))).statusCode).toBe(status);
});
