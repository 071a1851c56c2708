import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { ERRORS, ReachError } from '../../src/errors.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { ROUTES } from '../../src/http/routes.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
import { standInReach } from '../support/stand-in-reach.js';

const json = { 'content-type': 'application/json' };
const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function door(changes: Partial<Reach> = {}, lines: string[] = []): Promise<FastifyInstance> {
  const logger = pino({ level: 'error' }, { write: (line: string) => lines.push(line) });
  const app = await createHttpApp({ ...standInReach(), ...changes }, new WorkGate(), logger);
  closers.push(() => app.close());
  return app;
}

function expectProblem(response: LightMyRequestResponse, code: keyof typeof ERRORS) {
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  const problem = response.json();
  expect(problem).toMatchObject({
    type: 'about:blank',
    code,
    status: ERRORS[code].status,
    title: ERRORS[code].title,
  });
  expect(response.statusCode).toBe(problem.status);
  return problem;
}

const post = (
  url: string,
  payload: string | Buffer,
  headers: Record<string, string> = json,
): InjectOptions => ({
  method: 'POST',
  url,
  headers,
  payload,
});

test('route answers in wire form', async () => {
  const response = await (await door()).inject(post('/api/v1/route', '{"intent": "周报", "top_k": 3}'));
  expect(response.statusCode).toBe(200);
  const body = response.json();
  expect(body).toMatchObject({ route_id: 'rt_1', target_agent: 'report-agent', timing_ms: { total: 5.1 } });
  expect(body.candidates[0].coverage).toBeNull();
  expect(body.candidates[1].excluded_by).toBe('a lower confidence');
});

test('route hands the request over in code form, payload untouched', async () => {
  const seen: unknown[] = [];
  const reach = standInReach();
  const app = await door({
    route: async (request: unknown) => {
      seen.push(request);
      return reach.route('x');
    },
  });
  const payload = { snake_key: { another_one: [1, null, 'é'] }, top_k: 'mine' };
  await app.inject(
    post('/api/v1/route', JSON.stringify({ intent: 'x', top_k: 2, session_id: 's', payload })),
  );
  expect(seen).toEqual([{ intent: 'x', topK: 2, sessionId: 's', payload }]);
});

test('dispatch passes result, payload and a valid traceparent through, and ignores another', async () => {
  const app = await door();
  const payload = { rows: [{ a_b: 1.5, nested: { deep: [true, null, '\ud800'] } }] };
  const body = JSON.stringify({ intent: 'x', payload });
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const traced = await app.inject(post('/api/v1/dispatch', body, { ...json, traceparent }));
  expect(traced.json().result).toEqual({ echo: payload, traceparent });
  const untraced = await app.inject(post('/api/v1/dispatch', body, { ...json, traceparent: 'nonsense' }));
  expect(untraced.json().result.traceparent).toBeNull();
});

test('agents are published, listed, shown and removed', async () => {
  const app = await door();
  const manifest = {
    agent_name: 'a',
    capabilities: [{ id: 'x', name: 'X' }],
    extra_field: { kept_as: ['it', 1] },
  };
  const put = await app.inject({
    method: 'PUT',
    url: '/api/v1/agents/a/manifest',
    headers: json,
    payload: manifest,
  });
  expect(put.json()).toEqual({
    agent_name: 'a',
    manifest_version: 1,
    catalogue_version: 1,
    breaking: [],
    overlaps: [],
  });
  expect((await app.inject('/api/v1/agents')).json().agents[0].capabilities[0].name).toBe('周报');
  expect((await app.inject('/api/v1/agents/a')).json().manifest).toEqual(manifest);
  const removed = await app.inject({ method: 'DELETE', url: '/api/v1/agents/a', headers: json });
  expect(removed.json()).toEqual({ agent_name: 'a', catalogue_version: 9 });
  expectProblem(await app.inject('/api/v1/agents/a'), 'AGENT_UNKNOWN');
});

test('the history of a manifest is listed, shown and published from', async () => {
  const app = await door();
  const payload = { agent_name: 'a', capabilities: [{ id: 'x', name: 'X' }], extra_field: 1 };
  await app.inject({ method: 'PUT', url: '/api/v1/agents/a/manifest', headers: json, payload });
  expect((await app.inject('/api/v1/agents/a/manifests?limit=7')).json()).toEqual({
    agent_name: 'a',
    manifests: [
      {
        manifest_version: 7,
        published_at: '2026-01-02T03:04:05.678Z',
        source: 'api',
        catalogue_version: null,
        current: true,
      },
    ],
  });
  expect((await app.inject('/api/v1/agents/a/manifests/3')).json()).toEqual({
    agent_name: 'a',
    manifest_version: 3,
    source: 'api',
    manifest: payload,
  });
  const url = '/api/v1/agents/a/manifests/3/publish';
  for (const call of [{}, { headers: json }, { headers: json, payload: '{}' }]) {
    const answer = await app.inject({ method: 'POST', url, ...call });
    expect(answer.json()).toEqual({
      agent_name: 'a',
      manifest_version: 4,
      catalogue_version: 2,
      breaking: [
        {
          capability_id: 'x',
          pointer: '/input_schema',
          kind: 'removed',
          sentence: 'The input field "a_b" is gone.',
        },
      ],
      overlaps: null,
    });
  }
  expectProblem(await app.inject('/api/v1/agents/b/manifests'), 'AGENT_UNKNOWN');
});

test.each([
  '/manifests?limit=0',
  '/manifests?limit=101',
  '/manifests?limit=-1',
  '/manifests?limit=1e1',
  '/manifests?limit=1&limit=2',
  '/manifests?page=2',
  '/manifests/0',
  '/manifests/01',
  '/manifests/1.5',
  '/manifests/latest',
  '/manifests/12345678901234567',
  '/manifests/1?limit=1',
])('GET %s is refused', async (path) => {
  expectProblem(await (await door()).inject(`/api/v1/agents/a${path}`), 'INVALID_REQUEST');
});

test('a call without a body takes an empty object at most', async () => {
  const app = await door();
  const remove = (payload: string) =>
    app.inject({ method: 'DELETE', url: '/api/v1/agents/a', headers: json, payload });
  expectProblem(await remove('{}'), 'AGENT_UNKNOWN');
  expect(expectProblem(await remove('{"colour": "red"}'), 'INVALID_REQUEST').errors).toEqual([
    { pointer: '/colour', expected: 'no such field', received: 'the string "red"' },
  ]);
  expectProblem(await remove('[]'), 'INVALID_REQUEST');
  expectProblem(await remove('null'), 'INVALID_REQUEST');
  expectProblem(await remove('{'), 'MALFORMED_REQUEST');
});

test('a manifest under another name is refused', async () => {
  const app = await door();
  const payload = { agent_name: 'b', capabilities: [] };
  const put = await app.inject({ method: 'PUT', url: '/api/v1/agents/a/manifest', headers: json, payload });
  expect(expectProblem(put, 'MANIFEST_INVALID').errors).toEqual([
    { pointer: '/agent_name', expected: '"a"', received: 'the string "b"' },
  ]);
});

test('a request that does not fit is refused with every faulty field', async () => {
  const app = await door();
  const body = { intent: 5, top_k: '3', threshold: 2, nonsense: true, filter: { agents: 'a' } };
  const problem = expectProblem(
    await app.inject(post('/api/v1/route', JSON.stringify(body))),
    'INVALID_REQUEST',
  );
  const pointers = problem.errors.map((error: { pointer: string }) => error.pointer).sort();
  expect(pointers).toEqual(['/filter/agents', '/intent', '/nonsense', '/threshold', '/top_k']);
});

test('an unknown field is told what is known', async () => {
  const response = await (await door()).inject(
    post('/api/v1/route', '{"intent": "x", "filter": {"agent": "a"}}'),
  );
  expect(expectProblem(response, 'INVALID_REQUEST').errors).toEqual([
    {
      pointer: '/filter/agent',
      expected: 'one of the known fields: agents, tags, labels or team',
      received: 'the string "a"',
    },
  ]);
});

test('a query that no call knows is refused, but not where a watcher asks', async () => {
  const app = await door();
  expectProblem(await app.inject('/api/v1/agents?page=2'), 'INVALID_REQUEST');
  expect((await app.inject('/healthz?from=balancer')).statusCode).toBe(200);
});

test.each([
  ['no body', undefined, json, 'MALFORMED_REQUEST'],
  ['no body and no type', undefined, {}, 'MALFORMED_REQUEST'],
  ['null', 'null', json, 'INVALID_REQUEST'],
  ['another type', 'intent: x', { 'content-type': 'application/yaml' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['no type', '{}', { 'content-length': '2' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a broken type', '{}', { 'content-type': ';;;' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['half a document', '{"intent"', json, 'MALFORMED_REQUEST'],
  ['1 MB and a bit', JSON.stringify({ intent: 'x'.repeat(1_048_576) }), json, 'BODY_TOO_LARGE'],
  ['10,000 levels', `{"payload":${'['.repeat(10_000)}${']'.repeat(10_000)}}`, json, 'MALFORMED_REQUEST'],
] as const)('%s is refused', async (_, payload, headers, code) => {
  const app = await door();
  const options: InjectOptions = { method: 'POST', url: '/api/v1/route', headers: { ...headers } };
  expectProblem(await app.inject(payload === undefined ? options : { ...options, payload }), code);
});

test('a manifest may have 8 MB and deep schemas, but not bottomless ones', async () => {
  const app = await door();
  const put = (payload: string) =>
    app.inject({ method: 'PUT', url: '/api/v1/agents/a/manifest', headers: json, payload });
  const of = (metadata: string) => `{"agent_name":"a","metadata":${metadata}}`;
  expect((await put(of(`"${'x'.repeat(7_000_000)}"`))).statusCode).toBe(200);
  expect((await put(of('['.repeat(100) + ']'.repeat(100)))).statusCode).toBe(200);
  expectProblem(await put(of('['.repeat(10_000) + ']'.repeat(10_000))), 'MALFORMED_REQUEST');
  expectProblem(await put(of(`"${'x'.repeat(8_400_000)}"`)), 'BODY_TOO_LARGE');
});

test('what is not there is 404, the wrong method is 405 with what is allowed', async () => {
  const app = await door();
  expectProblem(await app.inject('/api/v2/route'), 'NOT_FOUND');
  expectProblem(
    await app.inject(post('/nowhere', 'not json', { 'content-type': 'text/plain' })),
    'NOT_FOUND',
  );
  const wrong = await app.inject('/api/v1/route?x=1');
  expectProblem(wrong, 'METHOD_NOT_ALLOWED');
  expect(wrong.headers.allow).toBe('POST');
  const patched = await app.inject({ method: 'PATCH', url: '/api/v1/agents/a', headers: json, payload: '{' });
  expectProblem(patched, 'METHOD_NOT_ALLOWED');
  expect(patched.headers.allow).toBe('GET, HEAD, DELETE');
  expectProblem(await app.inject('/api/v1/agents/%E0%A4%A'), 'MALFORMED_REQUEST');
  expectProblem(await app.inject(`/api/v1/agents/${'a'.repeat(300)}`), 'MALFORMED_REQUEST');
});

test.each(ROUTES.map(({ url }) => [url.replace(/:[a-z_]+/g, 'x')]))(
  'the wrong method is told apart from a wrong address at %s',
  async (url) => {
    const app = await door();
    expectProblem(await app.inject({ method: 'PATCH', url }), 'METHOD_NOT_ALLOWED');
    expectProblem(await app.inject({ method: 'PATCH', url: `${url}/and/nowhere/else` }), 'NOT_FOUND');
  },
);

test('health follows its parts, readiness the catalogue, liveness only the process', async () => {
  const failed = { ...standInReach().health(), status: 'failed' as const };
  const app = await door({ ready: false, health: () => failed });
  const health = await app.inject('/health');
  expect([health.statusCode, health.json().status]).toEqual([503, 'failed']);
  expect(health.json().embedding.model).toBe('m');
  const ready = await app.inject('/readyz');
  expectProblem(ready, 'NOT_READY');
  expect(ready.headers['retry-after']).toBe('1');
  expect((await app.inject('/healthz')).statusCode).toBe(200);
  expect((await (await door()).inject('/readyz')).json()).toEqual({ status: 'ready' });
});

test('Retry-After is in whole seconds, never too early', async () => {
  const app = await door({
    route: async () => {
      throw new ReachError('OVERLOADED', 'Too much.', { retryAfterMs: 1_200 });
    },
  });
  const response = await app.inject(post('/api/v1/route', '{"intent": "x"}'));
  expectProblem(response, 'OVERLOADED');
  expect(response.headers['retry-after']).toBe('2');
});

test.each([
  ['an unforeseen error', () => new TypeError('cannot read /srv/secret/file.ts')],
  ['a store error', () => new ReachError('STORE_UNAVAILABLE', 'cannot open /srv/secret/file.ts')],
  ['an answer that is no JSON', () => undefined],
])('%s tells the log, not the caller', async (_, fault) => {
  const lines: string[] = [];
  const error = fault();
  const route = async () => {
    if (error !== undefined) throw error;
    return { routeId: 1n } as never;
  };
  const response = await (await door({ route }, lines)).inject(post('/api/v1/route', '{"intent": "x"}'));
  expect(response.statusCode).toBeGreaterThanOrEqual(500);
  expect(response.headers['content-type']).toMatch(/^application\/problem\+json/);
  expect(response.body).not.toMatch(/secret|\.ts|stack|at .*\(/);
  expect(lines.join()).toContain(error === undefined ? 'BigInt' : '/srv/secret/file.ts');
});
