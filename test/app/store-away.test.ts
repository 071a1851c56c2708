import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { type ReachOptions, type Service, serve } from '../../src/app.js';
import type { HealthReportWire } from '../../src/wire/health.js';
import { type Call, everyCall, INTENT, type Known, manifest } from '../support/every-call.js';
import { httpServer } from '../support/local-servers.js';
import { describeWithRedisServer, ownRedis } from '../support/redis.js';
import { describeWithSmallDisk, smallDisk } from '../support/small-disk.js';
import { until } from '../support/until.js';

/** No call may take longer, whatever has become of the store. */
const ANSWERED_MS = 5_000;
/** Within this the service is whole again. */
const WHOLE_AGAIN_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly degraded: string | null;
  readonly retryAfter: string | null;
  /** Of a stream only the first piece. */
  readonly text: string;
}

interface Served {
  readonly known: Known;
  ask(call: Call): Promise<Answer>;
  health(): Promise<HealthReportWire>;
}

async function answerTo(address: string, { method, path, headers, body }: Call): Promise<Answer> {
  const response = await fetch(`${address}${path}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(ANSWERED_MS),
  });
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  const reader = response.body?.getReader();
  let text = '';
  for (;;) {
    const piece = await reader?.read();
    text += new TextDecoder().decode(piece?.value);
    if (isStream || piece === undefined || piece.done) break;
  }
  await reader?.cancel();
  const [degraded, retryAfter] = ['x-reach-degraded', 'retry-after'].map((name) =>
    response.headers.get(name),
  );
  return { status: response.status, degraded: degraded ?? null, retryAfter: retryAfter ?? null, text };
}

/** A service over a store, and in it something for each call to find. */
async function served(options: ReachOptions): Promise<Served> {
  const service: Service = await serve({
    port: 0,
    manifests: null,
    probes: false,
    logLevel: 'silent',
    ...options,
  });
  onTestFinished(() => service.close());
  const agent = await httpServer((request, response) => {
    request.resume();
    response.setHeader('content-type', 'application/json').end('{"result": 1}');
  });
  const address = agent.url.origin;
  const ask = (call: Call) => answerTo(service.address, call);
  const done = async (method: string, path: string, body?: object, headers = {}) => {
    const { status, text } = await ask({ method, path, headers, ...(body !== undefined && { body }) });
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300);
    return JSON.parse(text);
  };
  for (const name of ['stock-agent', 'removed-agent']) {
    // Only one of them is about stock, so that nobody has to be asked which is meant.
    const document = manifest(name, address);
    const capabilities = [{ id: 'sing', name: 'Sing a song', examples: ['sing a song for me'] }];
    const published = name === 'stock-agent' ? document : { ...document, capabilities };
    await done('PUT', `/api/v1/agents/${name}/manifest`, published);
  }
  for (const id of ['kept', 'drained', 'removed'])
    await done('PUT', `/api/v1/agents/stock-agent/instances/${id}`, { address });
  for (const id of ['kept', 'removed'])
    await done('PUT', `/api/v1/sessions/${id}`, { summary: 'a talk' }, { 'if-none-match': '*' });
  const decision = await done('POST', '/api/v1/route', { intent: INTENT });
  expect(decision).toMatchObject({ outcome: 'routed', target_agent: 'stock-agent' });
  await done('POST', '/api/v1/dispatch', { intent: INTENT, request_id: 'kept' });
  const asked = ['write a poem about autumn', 'translate this into Finnish'];
  const tickets = await Promise.all(asked.map((intent) => done('POST', '/api/v1/route', { intent })));
  const labels = [{ intent: 'count the figs', expected: ['stock-agent/count'] }];
  const { label_ids: labelIds } = await done('POST', '/api/v1/labels', { labels });
  const known = {
    address,
    routeId: decision.route_id,
    ticketIds: tickets.map(({ ticket_id }) => ticket_id),
    labelId: labelIds[0],
    weights: await done('GET', '/api/v1/tuning/weights'),
  };
  return { known, ask, health: () => done('GET', '/health') };
}

/** What is wrong with an answer that was given without a store; undefined where nothing is. */
function faultOf(needsStore: boolean, { status, retryAfter, text }: Answer): string | undefined {
  if (status === 503) {
    const isRefusal = needsStore && JSON.parse(text).code === 'STORE_UNAVAILABLE' && Number(retryAfter) > 0;
    return isRefusal ? undefined : `503, retry-after ${retryAfter}: ${text}`;
  }
  // What is not in the store that answers is told as ever.
  return status < (needsStore ? 500 : 300) ? undefined : `${status}: ${text}`;
}

/** Makes every call at once. Those that are not answered as they should be. */
async function faults({ known, ask }: Served): Promise<readonly string[]> {
  const told = await Promise.all(
    everyCall(known).map(async ({ name, needsStore, call }) => {
      const fault = await ask(call).then((answer) => faultOf(needsStore, answer), String);
      return fault === undefined ? [] : [`${name}: ${fault}`];
    }),
  );
  return told.flat();
}

/** What only Redis can answer, and therefore nobody does without it. */
const REFUSED = [
  ...['listSessions', 'getSession', 'putSession', 'removeSession'],
  ...['listTickets', 'getTicket', 'claimTicket', 'releaseTicket', 'resolveTicket'],
  ...['getTuning', 'applyWeights', 'setShadowWeights'],
  ...['exportLabels', 'addLabels', 'removeLabel', 'reviewLabels'],
  ...['publishManifest', 'removeAgent', 'listManifests', 'getManifest', 'republishManifest'],
  ...['registerInstance', 'removeInstance', 'drainInstance'],
  ...['listRequests', 'getRequest', 'followRequest', 'exportRoutes', 'reachabilityTrend', 'compareShadow'],
  ...['a dispatch with a key', 'an asynchronous dispatch'],
];

/** The calls that are refused for want of the store. */
async function refused({ known, ask }: Served): Promise<readonly string[]> {
  const names: string[] = [];
  for (const { name, call } of everyCall(known)) if ((await ask(call)).status === 503) names.push(name);
  return names;
}

/** Asserts that each answer that goes on without the store says so, or that none does. */
async function expectToldDegraded({ known, ask }: Served, degraded: 'store' | null): Promise<void> {
  for (const { name, isTold, call } of everyCall(known)) {
    if (!isTold) continue;
    expect((await ask(call)).degraded, name).toBe(degraded);
  }
}

const ROUTE: Call = { method: 'POST', path: '/api/v1/route', body: { intent: INTENT } };

/** Asserts that an answer says so where the session that it belongs to cannot be read. */
async function expectSessionsTold({ ask }: Served): Promise<void> {
  const session = await ask({ method: 'GET', path: '/api/v1/sessions/kept' });
  const body = { ...ROUTE.body, session_id: 'kept' };
  const decision = JSON.parse((await ask({ ...ROUTE, body })).text);
  expect(decision.session_unavailable ?? false).toBe(session.status !== 200);
}

const putSession = (sessionId: string, summary = 'a talk'): Call => ({
  method: 'PUT',
  path: `/api/v1/sessions/${sessionId}`,
  headers: { 'if-none-match': '*' },
  body: { summary },
});

describeWithRedisServer('a service whose Redis', () => {
  test.each([
    ['does not answer', 'pause', 'resume'],
    ['is gone', 'end', 'begin'],
  ] as const)('%s goes on routing, refuses what needs it, and is whole soon after', async (_, away, back) => {
    const redis = await ownRedis();
    const service = await served({ data: null, store: redis.url });
    await expectToldDegraded(service, null);

    await redis[away]();
    // Nobody knows yet.
    expect(await faults(service)).toEqual([]);
    await until(async () => (await service.health()).store.state === 'failed');
    expect(await service.health()).toMatchObject({
      status: 'degraded',
      store: { detail: expect.stringMatching(/Redis/) },
    });
    expect(await faults(service)).toEqual([]);
    expect(await refused(service)).toEqual(expect.arrayContaining(REFUSED));
    await expectToldDegraded(service, 'store');
    await expectSessionsTold(service);

    await redis[back]();
    await until(async () => (await service.health()).store.state === 'ok', WHOLE_AGAIN_MS);
    await until(async () => (await service.ask(putSession('whole'))).status === 200, WHOLE_AGAIN_MS);
    await expectToldDegraded(service, null);
  });
});

describeWithSmallDisk('a service whose disk is full', () => {
  test('goes on routing, refuses what it would have to keep, and is whole once there is room', async () => {
    const disk = await smallDisk();
    const service = await served({ data: disk.data });
    await expectToldDegraded(service, null);
    const makeRoom = await disk.fill();
    const large = 'x'.repeat(30_000);
    await until(async () => {
      await service.ask(putSession(randomUUID(), large));
      return (await service.ask(ROUTE)).degraded === 'store';
    });
    expect(await faults(service)).toEqual([]);
    // What is small may still find a place in what the file had before.
    const refused = await service.ask(putSession(randomUUID(), large));
    expect(refused).toMatchObject({ status: 503, retryAfter: '1' });
    expect(JSON.parse(refused.text)).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await makeRoom();
    await until(async () => {
      expect((await service.ask(putSession(randomUUID()))).status).toBe(200);
      return (await service.health()).store.state === 'ok';
    });
    await expectToldDegraded(service, null);
  });
});
