import { once } from 'node:events';
import { Agent as KeepAliveAgent, request } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { createHttpApp } from '../../src/http/http-app.js';
import { type HttpDoor, startHttp } from '../../src/http/server.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
import { decision, standInReach } from '../support/stand-in-reach.js';

const silent = pino({ level: 'silent' });
const host = '127.0.0.1';
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function started(changes: Partial<Reach> = {}): Promise<HttpDoor> {
  const door = await startHttp({ ...standInReach(), ...changes }, { host, port: 0 }, silent);
  closers.push(() => door.close());
  return door;
}

const portOf = (door: HttpDoor) => Number(new URL(door.address).port);

/** Sends bytes as they are and gives back all that comes until the connection ends. */
async function raw(door: HttpDoor, bytes: string): Promise<string> {
  const socket = connect(portOf(door), host);
  socket.write(bytes);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  await once(socket, 'close');
  return text;
}

test('it listens on a free port and says where', async () => {
  const door = await started();
  expect(door.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect((await fetch(`${door.address}/healthz`)).status).toBe(200);
});

test('a taken port is one sentence', async () => {
  const other = createServer().listen(0, host);
  await once(other, 'listening');
  closers.push(() => other.close());
  const { port } = other.address() as AddressInfo;
  await expect(startHttp(standInReach(), { host, port }, silent)).rejects.toMatchObject({
    code: 'PORT_TAKEN',
    message: expect.stringMatching(new RegExp(`^Port ${port} of 127.0.0.1 is already in use: .*\\.$`)),
  });
});

test('an address of another machine is one sentence', async () => {
  await expect(startHttp(standInReach(), { host: '192.0.2.1', port: 0 }, silent)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

test.each([
  ['what is not HTTP', 'hello\r\n\r\n', 'not valid HTTP'],
  ['headers without end', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`, 'headers'],
  [
    'two lengths',
    'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    'not valid HTTP',
  ],
])('%s is answered with a problem, and the door stays open', async (_, bytes, detail) => {
  const door = await started();
  const answer = await raw(door, bytes);
  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
  const body = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')));
  expect(body).toMatchObject({ code: 'MALFORMED_REQUEST', detail: expect.stringContaining(detail) });
  expect((await fetch(`${door.address}/healthz`)).status).toBe(200);
});

test('no connection may be slow for ever', async () => {
  const app = await createHttpApp(standInReach(), new WorkGate(), silent);
  closers.push(() => app.close());
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = app.server;
  expect(headersTimeout).toBe(10_000);
  expect(requestTimeout).toBe(60_000);
  expect(keepAliveTimeout).toBe(72_000);
  expect(timeout).toBe(3_660_000);
});

/** A decision that is made when the test says so. */
function heldRoute() {
  let decide = () => {};
  const asked = new Promise<void>((resolve) => {
    decide = resolve;
  });
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const route = async () => {
    begin();
    await asked;
    return decision;
  };
  return { route, begun, decide: () => decide() };
}

const askRoute = (door: HttpDoor) =>
  fetch(`${door.address}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"intent": "x"}',
  });

function get(
  door: HttpDoor,
  agent: KeepAliveAgent,
): Promise<{ status: number | undefined; connection: string | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    const call = request(`${door.address}/healthz`, { agent }, async (response) => {
      let body = '';
      for await (const chunk of response) body += chunk;
      resolve({ status: response.statusCode, connection: response.headers.connection, body });
    });
    call.on('error', reject).end();
  });
}

test('close lets running work end, takes no new work, and ends connections on which nothing is asked', async () => {
  const held = heldRoute();
  const door = await started({ route: held.route });
  const agent = new KeepAliveAgent({ keepAlive: true, maxSockets: 1 });
  closers.push(() => agent.destroy());
  expect((await get(door, agent)).connection).toBe('keep-alive');

  // One client asks, one is connected and silent, one has sent half a request.
  const running = askRoute(door);
  await held.begun;
  const quiet = connect(portOf(door), host);
  const half = connect(portOf(door), host);
  half.write('GET /healthz HTTP/1.1\r\nhost:');
  await Promise.all([once(quiet, 'connect'), once(half, 'connect')]);
  const ended = [quiet, half].map(
    (socket) =>
      new Promise((resolve) =>
        socket
          .on('error', () => {})
          .resume()
          .once('close', resolve),
      ),
  );

  let closed = false;
  const closing = door.close().then(() => {
    closed = true;
  });
  expect(door.close()).toBe(door.close());
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(closed).toBe(false);

  held.decide();
  expect((await running).status).toBe(200);
  await Promise.all([closing, ...ended]);
  expect(closed).toBe(true);
  await expect(fetch(`${door.address}/healthz`)).rejects.toThrow();
});

test('what still comes in while the door closes is told to go elsewhere', async () => {
  const gate = new WorkGate();
  const app = await createHttpApp(standInReach(), gate, silent);
  closers.push(() => app.close());
  await gate.shut();
  const answer = await app.inject('/healthz');
  expect([answer.statusCode, answer.headers.connection]).toEqual([503, 'close']);
  expect(answer.json()).toMatchObject({ code: 'CLOSED', status: 503 });
});

test('a client that goes away does not keep the door open', async () => {
  const held = heldRoute();
  const door = await started({ route: held.route });
  const abort = new AbortController();
  const gone = fetch(`${door.address}/api/v1/route`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"intent": "x"}',
    signal: abort.signal,
  });
  await held.begun;
  abort.abort();
  await expect(gone).rejects.toThrow();
  await door.close();
  held.decide();
});
