import type { LookupFunction } from 'node:net';
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CONNECTIONS_PER_ORIGIN } from '../../src/net/connector.js';
import { HttpClient, KEPT_ORIGINS } from '../../src/net/http-client.js';
import type { HttpRequest } from '../../src/net/http-outcome.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { until } from '../support/until.js';

const LONG_MS = 20_000;
const SHORT_MS = 300;

function newClient(lookup?: LookupFunction): HttpClient {
  const client = new HttpClient(lookup && { lookup });
  onTestFinished(() => client.close());
  return client;
}

function post(url: URL, overrides: Partial<HttpRequest> = {}): HttpRequest {
  return {
    url,
    headers: {},
    body: '{}',
    timeoutMs: LONG_MS,
    maxBytes: 1_000_000,
    ...overrides,
  };
}

const toLoopback: LookupFunction = (_hostname, _options, callback) =>
  callback(null, [{ address: '127.0.0.1', family: 4 }]);

describe('an answer', () => {
  it('is read whole, with its status and headers', async () => {
    const server = await httpServer((request, response) => {
      request.setEncoding('utf8').on('data', (body) => {
        response.writeHead(207, { 'x-path': request.url }).end(`${request.method} ${body}`);
      });
    });
    const answer = await newClient().request(post(new URL('/a/b?c=d', server.url), { body: 'héllo' }));
    expect(answer).toMatchObject({ kind: 'answered', status: 207, headers: { 'x-path': '/a/b?c=d' } });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('POST héllo');
  });

  it('leaves its connection for the next request', async () => {
    const server = await httpServer((_, response) => void response.end('x'));
    const client = newClient();
    for (let i = 0; i < 5; i += 1)
      expect(await client.request(post(server.url))).toMatchObject({ status: 200 });
    // The next request comes before undici has marked the connection as free: two take turns.
    expect(server.sockets.length).toBeLessThanOrEqual(2);
  });

  it('that redirects is not followed', async () => {
    let asked = 0;
    const server = await httpServer((_, response) => {
      asked += 1;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ kind: 'answered', status: 302 });
    expect(asked).toBe(1);
  });

  it('may be announced by 1xx', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ kind: 'answered', status: 200 });
  });
});

describe('a hostile or broken peer', () => {
  it('that never answers is left at the deadline', async () => {
    const server = await rawServer(() => {});
    // What is left of a budget is seldom a whole number.
    const outcome = await newClient().request(post(server.url, { timeoutMs: SHORT_MS - 0.02 }));
    expect(outcome).toMatchObject({ kind: 'failed', reason: 'timeout', sent: true, status: undefined });
    expect(outcome).toMatchObject({ detail: `no whole answer within ${SHORT_MS} ms` });
  });

  it('that drips its head is left at the deadline', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const outcome = await newClient().request(post(server.url, { timeoutMs: SHORT_MS }));
    expect(outcome).toMatchObject({ reason: 'timeout', sent: true, status: undefined });
    await until(() => server.sockets[0]?.destroyed === true);
  });

  it('that drips its body is left at the deadline', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': 1_000_000 });
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    });
    const outcome = await newClient().request(post(server.url, { timeoutMs: SHORT_MS }));
    expect(outcome).toMatchObject({ reason: 'timeout', sent: true, status: 200 });
  });

  it('that announces 200 MB is cut off before them', async () => {
    const server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-length': 200_000_000 }).flushHeaders();
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'too_large', status: 200 });
  });

  it('that streams 200 MB unannounced is cut off at the limit', async () => {
    let written = 0;
    const chunk = Buffer.alloc(100_000);
    const server = await httpServer((_, response) => {
      const more = () => {
        while (written < 200_000_000 && !response.destroyed) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
      };
      more();
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'too_large', status: 200 });
    await until(() => server.sockets[0]?.destroyed === true);
    expect(written).toBeLessThan(100_000_000);
  });

  it('whose head has no end is cut off', async () => {
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}\r\n\r\n`);
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'too_large' });
  });

  it('that does not speak HTTP is told apart', async () => {
    const server = await rawServer((socket) => socket.write('220 mail.example ESMTP\r\n'));
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'malformed', sent: true });
  });

  it('that closes in the middle of a body is not taken for an answer', async () => {
    const server = await rawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"result":');
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'broken_off', status: 200 });
  });

  it('that closes in the middle of a chunked body is not taken for an answer', async () => {
    const server = await rawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n');
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'broken_off', status: 200 });
  });

  it('that sends more than it announced does not spoil the next answer', async () => {
    const server = await rawServer((socket) => {
      socket.write(
        'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil',
      );
    });
    const client = newClient();
    for (let i = 0; i < 3; i += 1) {
      const answer = await client.request(post(server.url));
      expect(answer.kind === 'answered' && answer.body.toString()).toBe('ok');
    }
  });

  it('that only announces an answer has given none', async () => {
    const server = await rawServer((socket) => socket.end('HTTP/1.1 103 Early Hints\r\n\r\n'));
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'reset', status: undefined });
  });

  it('that resets the connection may have acted', async () => {
    const server = await rawServer((socket) => socket.resetAndDestroy());
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'reset', sent: true });
  });

  it('that closes its half without an answer may have acted', async () => {
    const server = await rawServer((socket) => socket.end());
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'reset', sent: true });
  });
});

describe('no connection', () => {
  it('refused', async () => {
    const server = await rawServer(() => {});
    await server.stop();
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('a name that nobody knows', async () => {
    const client = newClient((_hostname, _options, callback) => {
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), []);
    });
    const outcome = await client.request(post(new URL('http://agent.example/')));
    expect(outcome).toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('a connection that is not made in time', async () => {
    const client = newClient(() => {});
    const outcome = await client.request(post(new URL('http://agent.example/')));
    expect(outcome).toMatchObject({ reason: 'unreachable', sent: false });
  });

  it('an address that may not be called', async () => {
    const outcome = await newClient().request(post(new URL('http://169.254.169.254/')));
    expect(outcome).toMatchObject({ reason: 'forbidden', sent: false });
  });

  it('a name that resolves to another address when it is called again', async () => {
    const server = await httpServer((_, response) => void response.end('x'));
    let address = '127.0.0.1';
    const client = newClient((_hostname, _options, callback) => callback(null, [{ address, family: 4 }]));
    const request = post(new URL(`http://agent.example:${server.port}/`));
    expect(await client.request(request)).toMatchObject({ kind: 'answered' });
    address = '169.254.169.254';
    for (const socket of server.sockets) socket.destroy();
    expect(await client.request(request)).toMatchObject({ reason: 'forbidden', sent: false });
  });
});

describe('a connection that died idle', () => {
  it.each(['destroy', 'resetAndDestroy'] as const)('by %s is no failure', async (death) => {
    let asked = 0;
    const server = await httpServer((_, response) => {
      asked += 1;
      response.end('x');
    });
    const client = newClient();
    for (let round = 1; round <= 10; round += 1) {
      expect(await client.request(post(server.url))).toMatchObject({ kind: 'answered' });
      // Sometimes the client knows of it before its next request, sometimes not.
      for (const socket of server.sockets) socket[death]();
      if (round % 2 === 0) await wait(20);
    }
    expect(asked).toBe(10);
  });

  it('between the last look at it and the first byte is no failure', async () => {
    let asked = 0;
    const server = await httpServer((_, response) => {
      asked += 1;
      response.end('x');
    });
    const client = newClient();
    expect(await client.request(post(server.url))).toMatchObject({ kind: 'answered' });
    await nextTurn();
    // Runs in the turn of the loop in which the request is written, just before it.
    setImmediate(() => server.sockets[0]?.resetAndDestroy());
    expect(await client.request(post(server.url))).toMatchObject({ kind: 'answered' });
    expect(asked).toBe(2);
    expect(server.sockets).toHaveLength(2);
  });
});

it('a request that cannot be sent settles, and leaves its place to others', async () => {
  const server = await httpServer((_, response) => void response.end('x'));
  const client = newClient();
  const unsendable = post(server.url, { headers: { 'x-broken': 'line\nbreak' } });
  const many = Array.from({ length: CONNECTIONS_PER_ORIGIN + 1 }, () => client.request(unsendable));
  for (const outcome of await Promise.allSettled(many)) {
    if (outcome.status === 'fulfilled') expect(outcome.value.kind).toBe('failed');
  }
  expect(await client.request(post(server.url))).toMatchObject({ kind: 'answered' });
});

describe('limits of our own', () => {
  it('lets requests wait for a connection, and takes them out of the line at their deadline', async () => {
    const held: (() => void)[] = [];
    const server = await httpServer((_, response) => void held.push(() => response.end('x')));
    const client = newClient();
    const running = Array.from({ length: CONNECTIONS_PER_ORIGIN }, () => client.request(post(server.url)));
    await until(() => held.length === CONNECTIONS_PER_ORIGIN);
    const late = await client.request(post(server.url, { timeoutMs: SHORT_MS }));
    expect(late).toMatchObject({ reason: 'timeout', sent: false });
    const waiting = client.request(post(server.url));
    await wait(50);
    expect(held).toHaveLength(CONNECTIONS_PER_ORIGIN);
    held[0]?.();
    await until(() => held.length === CONNECTIONS_PER_ORIGIN + 1);
    for (const answer of held) answer();
    expect(await waiting).toMatchObject({ kind: 'answered' });
    expect(await Promise.all(running)).toHaveLength(CONNECTIONS_PER_ORIGIN);
  });

  it('closes the connections to the origins that were idle longest', async () => {
    // The server would keep its connections for a minute.
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nkeep-alive: timeout=60\r\ncontent-length: 1\r\n\r\nx');
    });
    const client = newClient(toLoopback);
    for (let i = 0; i < KEPT_ORIGINS + 20; i += 1) {
      const url = new URL(`http://agent-${i}.example:${server.port}/`);
      expect(await client.request(post(url))).toMatchObject({ kind: 'answered' });
    }
    const open = () => server.sockets.filter((socket) => !socket.destroyed).length;
    await until(() => open() <= KEPT_ORIGINS);
    expect(server.sockets[0]?.destroyed).toBe(true);
    expect(server.sockets.at(-1)?.destroyed).toBe(false);
  });
});

describe('close', () => {
  it('takes nothing new, sends away who waits, lets run what runs', async () => {
    const held: (() => void)[] = [];
    const server = await httpServer((_, response) => void held.push(() => response.end('x')));
    const client = newClient();
    const running = Array.from({ length: CONNECTIONS_PER_ORIGIN }, () => client.request(post(server.url)));
    await until(() => held.length === CONNECTIONS_PER_ORIGIN);
    const waiting = client.request(post(server.url));
    const closed = client.close();
    expect(await waiting).toMatchObject({ reason: 'closed', sent: false });
    expect(await client.request(post(server.url))).toMatchObject({ reason: 'closed', sent: false });
    for (const answer of held) answer();
    for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ kind: 'answered' });
    await closed;
    await until(() => server.sockets.every((socket) => socket.destroyed));
  });
});
