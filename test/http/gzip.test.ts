import { gunzipSync, gzipSync } from 'node:zlib';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/http/http-app.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
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

const sending = (payload: Buffer | string, encoding: string): InjectOptions => ({
  method: 'POST',
  url: '/api/v1/dispatch',
  headers: { 'content-type': 'application/json', 'content-encoding': encoding },
  payload,
});
const BODY = JSON.stringify({ intent: '生成周报', payload: { rows: [1, 2, 3] } });

test.each(['gzip', 'GZIP', 'x-gzip'])('a body in %s is read', async (encoding) => {
  const response = await (await door()).inject(sending(gzipSync(BODY), encoding));
  expect(response.statusCode).toBe(200);
  expect(response.json().result.echo).toEqual({ rows: [1, 2, 3] });
});

test.each([
  ['no gzip at all', Buffer.from(BODY)],
  ['the first half of one', gzipSync(BODY).subarray(0, 20)],
  ['one with a flipped bit', gzipSync(BODY).fill(0xff, 20, 24)],
  ['gzip of no JSON', gzipSync('{"intent"')],
  ['gzip of nothing', gzipSync('')],
])('%s is malformed', async (_, bytes) => {
  const response = await (await door()).inject(sending(bytes, 'gzip'));
  expect([response.statusCode, response.json().code]).toEqual([400, 'MALFORMED_REQUEST']);
});

test.each(['br', 'deflate', 'zstd', 'gzip, gzip', 'nonsense'])(
  'the encoding %s is refused, with the one that is read',
  async (encoding) => {
    const response = await (await door()).inject(sending(gzipSync(BODY), encoding));
    expect([response.statusCode, response.json().code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
    expect(response.headers['accept-encoding']).toBe('gzip');
  },
);

test('a gzip bomb ends at the limit of its call', async () => {
  // 900 MB: a file of gzip may have many parts.
  const bomb = Buffer.concat(Array(900).fill(gzipSync(' '.repeat(1_000_000))));
  expect(bomb.length).toBeLessThan(1_000_000);
  const app = await door();
  const before = process.memoryUsage.rss();
  const response = await app.inject(sending(bomb, 'gzip'));
  expect([response.statusCode, response.json().code]).toEqual([413, 'BODY_TOO_LARGE']);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100_000_000);
});

test('the limits of a call hold for what comes out', async () => {
  const app = await door();
  const of = (bytes: number) => gzipSync(JSON.stringify({ intent: 'x', payload: { a: 'y'.repeat(bytes) } }));
  expect((await app.inject(sending(of(1_040_000), 'gzip'))).statusCode).toBe(200);
  expect((await app.inject(sending(of(1_060_000), 'gzip'))).statusCode).toBe(413);
  const deep = gzipSync(`{"payload":${'['.repeat(100)}${']'.repeat(100)}}`);
  expect((await app.inject(sending(deep, 'gzip'))).json().code).toBe('MALFORMED_REQUEST');
});

/** A door whose dispatches have a result of so many bytes in UTF-8. */
const answering = (bytes: number) =>
  door({ dispatch: async () => ({ ...answer, result: '报'.repeat(bytes / 3) }) });

const asking = (acceptEncoding?: string): InjectOptions => ({
  method: 'POST',
  url: '/api/v1/dispatch',
  headers: {
    'content-type': 'application/json',
    ...(acceptEncoding !== undefined && { 'accept-encoding': acceptEncoding }),
  },
  payload: '{"intent":"x"}',
});

test.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['*', true],
  ['gzip;q=0, *', false],
  ['*;q=0', false],
  ['br', false],
  ['gzip;q=much', false],
  [undefined, false],
] as const)('accept-encoding %j', async (accepted, isGzip) => {
  const response = await (await answering(3_000)).inject(asking(accepted));
  expect(response.headers['content-encoding']).toBe(isGzip ? 'gzip' : undefined);
  // A cache learns in both cases that there are two of it.
  expect(response.headers.vary).toBe('accept-encoding');
  expect(response.headers['content-length']).toBe(String(response.rawPayload.length));
  const text = isGzip ? gunzipSync(response.rawPayload).toString() : response.body;
  expect(JSON.parse(text).result).toBe('报'.repeat(1_000));
});

test('1 KB is counted in bytes, not in characters', async () => {
  const response = await (await answering(1_200)).inject(asking('gzip'));
  expect(response.headers['content-encoding']).toBe('gzip');
});

test('what is shorter than 1 KB goes out as it is', async () => {
  const response = await (await answering(300)).inject(asking('gzip'));
  expect(response.headers).not.toHaveProperty('content-encoding');
  expect(response.headers).not.toHaveProperty('vary');
});

test('streams are not gzip, long problems and the document are', async () => {
  const app = await door();
  const stream = await app.inject({
    url: '/api/v1/requests/rq_1/events',
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(stream.headers).not.toHaveProperty('content-encoding');
  const fields = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`field_${index}`, 1]));
  const problem = await app.inject({ ...asking('gzip'), payload: fields });
  expect(problem.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': expect.stringMatching(/^application\/problem\+json/),
  });
  expect(JSON.parse(gunzipSync(problem.rawPayload).toString()).errors).toHaveLength(50);
  const document = await app.inject({ url: '/docs/json', headers: { 'accept-encoding': 'gzip' } });
  expect(JSON.parse(gunzipSync(document.rawPayload).toString()).openapi).toBe('3.1.0');
});

test('many at once all get their answer, those beyond what is made smaller at once as it is', async () => {
  const app = await answering(30_000);
  const responses = await Promise.all(Array.from({ length: 200 }, () => app.inject(asking('gzip'))));
  const plain = responses.filter(({ headers }) => headers['content-encoding'] === undefined);
  expect(plain.length).toBeGreaterThan(0);
  expect(plain.length).toBeLessThan(200);
  for (const { headers, rawPayload } of responses) {
    const bytes = headers['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload;
    expect(JSON.parse(bytes.toString()).state).toBe('completed');
  }
});
