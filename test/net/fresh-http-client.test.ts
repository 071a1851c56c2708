import type { LookupFunction } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FreshHttpClient } from '../../src/net/fresh-http-client.js';
import type { HttpLimits } from '../../src/net/http-outcome.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { until } from '../support/until.js';

const LIMITS: HttpLimits = { timeoutMs: 20_000, maxBytes: 65_536 };
const SHORT: HttpLimits = { ...LIMITS, timeoutMs: 300 };

function newClient(lookup?: LookupFunction): FreshHttpClient {
  const client = new FreshHttpClient(lookup);
  onTestFinished(() => client.close());
  return client;
}

describe('an answer', () => {
  it('is read whole, with its status and headers', async () => {
    const server = await httpServer((request, response) => {
      response.writeHead(203, { 'x-path': request.url }).end(`${request.method} ${request.headers.host}`);
    });
    const answer = await newClient().get(new URL('/a/b?c=d', server.url), LIMITS);
    expect(answer).toMatchObject({ kind: 'answered', status: 203, headers: { 'x-path': '/a/b?c=d' } });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe(`GET ${server.url.host}`);
  });

  it('has a connection of its own, which ends with it', async () => {
    const server = await httpServer((_, response) => void response.end('x'));
    const client = newClient();
    for (let i = 0; i < 5; i += 1) {
      expect(await client.get(server.url, LIMITS)).toMatchObject({ status: 200 });
    }
    expect(server.sockets).toHaveLength(5);
    await until(() => server.sockets.every((socket) => socket.destroyed));
  });

  it('that keeps its connection open is not waited for', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ kind: 'answered', status: 200 });
    await until(() => server.sockets.every((socket) => socket.destroyed));
  });

  it('that redirects is not followed', async () => {
    let asked = 0;
    const server = await httpServer((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ kind: 'answered', status: 302 });
    expect(asked).toBe(1);
  });

  it('of as many bytes as allowed is read, of one more is not', async () => {
    const server = await httpServer(({ url = '' }, response) => {
      response.write('x'.repeat(Number(url.slice(1)) - 1));
      response.end('x');
    });
    const client = newClient();
    expect(await client.get(new URL('/65536', server.url), LIMITS)).toMatchObject({ kind: 'answered' });
    expect(await client.get(new URL('/65537', server.url), LIMITS)).toMatchObject({ reason: 'too_large' });
  });
});

describe('a hostile or broken peer', () => {
  it('that takes the connection and never answers is left at the deadline', async () => {
    const server = await rawServer(() => {});
    expect(await newClient().get(server.url, SHORT)).toMatchObject({
      reason: 'timeout',
      sent: true,
      status: undefined,
      detail: 'no whole answer within 300 ms',
    });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  it('that sends one header after the other is left at the deadline', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await newClient().get(server.url, SHORT)).toMatchObject({ reason: 'timeout', status: undefined });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  it('whose answer never ends is left at the deadline', async () => {
    const server = await httpServer((_, response) => {
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    expect(await newClient().get(server.url, SHORT)).toMatchObject({ reason: 'timeout', status: 200 });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  it('that announces 10 MB is cut off before them', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': 10_000_000 }).flushHeaders();
    });
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ reason: 'too_large', status: 200 });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  it('that streams 10 MB unannounced is cut off at the limit', async () => {
    let written = 0;
    const chunk = Buffer.alloc(10_000);
    const server = await httpServer((_, response) => {
      const more = () => {
        while (written < 100_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ reason: 'too_large', status: 200 });
    await until(() => server.sockets[0]?.destroyed === true);
    expect(written).toBeLessThan(50_000_000);
  });

  it.each([
    ['whose head has no end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}\r\n\r\n`, 'too_large'],
    ['that does not speak HTTP', '220 mail.example ESMTP\r\n', 'malformed'],
    ['that closes in a body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{', 'broken_off'],
    ['that closes in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab', 'broken_off'],
    ['that only announces an answer', 'HTTP/1.1 103 Early Hints\r\n\r\n', 'reset'],
    ['that switches protocols', 'HTTP/1.1 101 Hm\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', 'reset'],
    ['that says nothing', '', 'reset'],
  ])('%s has given no answer', async (_, bytes, reason) => {
    const server = await rawServer((socket) => void socket.end(bytes));
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ kind: 'failed', reason, sent: true });
  });

  it('that resets the connection has given no answer', async () => {
    const server = await rawServer((socket) => void socket.resetAndDestroy());
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ reason: 'reset', sent: true });
  });
});

describe('no connection', () => {
  it('refused', async () => {
    const server = await rawServer(() => {});
    await server.stop();
    expect(await newClient().get(server.url, LIMITS)).toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('without the TLS that was asked for', async () => {
    const server = await rawServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const url = new URL(`https://127.0.0.1:${server.port}/`);
    expect(await newClient().get(url, LIMITS)).toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('an address that may not be called', async () => {
    const outcome = await newClient().get(new URL('http://169.254.169.254/'), LIMITS);
    expect(outcome).toMatchObject({ reason: 'forbidden', sent: false });
  });

  it('a name that leads to an address that may not be called', async () => {
    const client = newClient((_hostname, _options, callback) => {
      callback(null, [{ address: '169.254.169.254', family: 4 }]);
    });
    const outcome = await client.get(new URL('http://agent.example/'), LIMITS);
    expect(outcome).toMatchObject({ reason: 'forbidden', sent: false });
  });

  it('a name that is not resolved in time, asked for once however often it is wanted', async () => {
    const server = await httpServer((_, response) => void response.end('x'));
    const asked: Parameters<LookupFunction>[2][] = [];
    const client = newClient((_hostname, _options, callback) => void asked.push(callback));
    const url = new URL(`http://agent.example:${server.port}/`);
    for (let i = 0; i < 3; i += 1) {
      expect(await client.get(url, { ...LIMITS, timeoutMs: 30 })).toMatchObject({ reason: 'timeout' });
    }
    const late = [client.get(url, LIMITS), client.get(url, LIMITS)];
    expect(asked).toHaveLength(1);
    asked[0]?.(null, [{ address: '127.0.0.1', family: 4 }]);
    for (const outcome of await Promise.all(late)) expect(outcome).toMatchObject({ kind: 'answered' });
  });
});

it('ends what runs when it is closed, and takes nothing new', async () => {
  const server = await rawServer(() => {});
  const client = newClient();
  const running = Array.from({ length: 3 }, () => client.get(server.url, LIMITS));
  await until(() => server.sockets.length === 3);
  client.close();
  for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ reason: 'closed' });
  expect(await client.get(server.url, LIMITS)).toMatchObject({ reason: 'closed', sent: false });
  await until(() => server.sockets.every((socket) => socket.destroyed));
});
