import type { Http2ServerResponse } from 'node:http2';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HttpClient } from '../../src/net/http-client.js';
import type { HttpOutcome, HttpRequest } from '../../src/net/http-outcome.js';
import { STREAMS_PER_CONNECTION } from '../../src/net/http2-connection.js';
import { http2Server, httpsServer, tlsServer } from '../support/local-servers.js';
import { CERT } from '../support/self-signed.js';
import { until } from '../support/until.js';

const LONG_MS = 20_000;

function newClient(): HttpClient {
  const client = new HttpClient({ ca: CERT });
  onTestFinished(() => client.close());
  return client;
}

function post(url: URL, overrides: Partial<HttpRequest> = {}): HttpRequest {
  return { url, headers: {}, body: '{}', timeoutMs: LONG_MS, maxBytes: 1_000_000, ...overrides };
}

/** A server that answers when it is told to. */
async function holdingServer(...options: Parameters<typeof http2Server>[1][]) {
  const held: Http2ServerResponse[] = [];
  const server = await http2Server((_, response) => void held.push(response), ...options);
  return { ...server, held };
}

describe('over h2', () => {
  it('an answer is read whole, with its status and headers', async () => {
    const server = await http2Server((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { method, url, headers } = request;
        response.writeHead(207, { 'x-path': url }).end([method, headers['x-id'], body].join(' '));
      });
    });
    const request = post(new URL('/a/b?c=d', server.url), { body: 'héllo', headers: { 'x-id': '7' } });
    const answer = await newClient().request(request);
    expect(answer).toMatchObject({ kind: 'answered', status: 207, headers: { 'x-path': '/a/b?c=d' } });
    expect(answer.kind === 'answered' && answer.body.toString()).toBe('POST 7 héllo');
  });

  it('a hundred requests at once share a connection, the next ones take another', async () => {
    const server = await holdingServer({ settings: { maxConcurrentStreams: 1_000 } });
    const client = newClient();
    const send = (count: number) => Array.from({ length: count }, () => client.request(post(server.url)));
    const running = send(STREAMS_PER_CONNECTION);
    await until(() => server.held.length === STREAMS_PER_CONNECTION);
    expect(server.sockets).toHaveLength(1);
    running.push(...send(10));
    await until(() => server.held.length === STREAMS_PER_CONNECTION + 10);
    expect(server.sockets).toHaveLength(2);
    for (const response of server.held) response.end('x');
    for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ status: 200 });
  });

  it('a server gets no more at once than it wants, over at most 20 connections', async () => {
    const server = await holdingServer({ settings: { maxConcurrentStreams: 2 } });
    const client = newClient();
    const running = Array.from({ length: 60 }, () => client.request(post(server.url)));
    await until(() => server.held.length === 40);
    await wait(50);
    expect(server.held).toHaveLength(40);
    expect(server.sockets).toHaveLength(20);
    const late = await client.request(post(server.url, { timeoutMs: 100 }));
    expect(late).toMatchObject({ reason: 'timeout', sent: false });
    for (let answered = 0; answered < 60; answered += 1) {
      await until(() => server.held.length > answered);
      server.held[answered]?.end();
    }
    for (const outcome of await Promise.all(running)) expect(outcome).toMatchObject({ status: 200 });
  });

  it('an idle connection is closed', async () => {
    const server = await http2Server((_, response) => void response.end('x'));
    const client = newClient();
    for (let i = 0; i < 3; i += 1) await client.request(post(server.url));
    expect(server.sockets).toHaveLength(1);
    await until(() => server.sockets[0]?.destroyed === true);
    expect(await client.request(post(server.url))).toMatchObject({ status: 200 });
  });

  it('a server that speaks HTTP/1.1 alone is asked so, over the connection that showed it', async () => {
    const versions: string[] = [];
    const server = await httpsServer((request, response) => {
      versions.push(request.httpVersion);
      response.end('x');
    });
    const client = newClient();
    expect(await client.request(post(server.url))).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(1);
    expect(await Promise.all(Array.from({ length: 5 }, () => client.request(post(server.url))))).toHaveLength(
      5,
    );
    expect(versions).toEqual(Array(6).fill('1.1'));
  });

  it('a certificate that nobody vouches for is sent nothing', async () => {
    let asked = 0;
    const server = await http2Server(() => {
      asked += 1;
    });
    const client = new HttpClient();
    onTestFinished(() => client.close());
    expect(await client.request(post(server.url))).toMatchObject({ reason: 'unreachable', sent: false });
    expect(asked).toBe(0);
  });

  it('a server that hangs up before it has said a word is given up', async () => {
    const server = await tlsServer((socket) => socket.end(), ['h2']);
    const outcomes = await Promise.all(
      Array.from({ length: 5 }, () => newClient().request(post(server.url))),
    );
    for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: 'unreachable', sent: false });
    expect(server.sockets).toHaveLength(5);
  });

  it('nobody listens', async () => {
    const server = await http2Server(() => {});
    await server.stop();
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'unreachable', sent: false });
  });
});

describe('over h2, the first request after an idle connection died', () => {
  it.each([0, 20])('does not fail: it ended %i ms before', async (pauseMs) => {
    let asked = 0;
    const server = await http2Server((_request, response) => {
      asked += 1;
      response.end('x');
    });
    const client = newClient();
    for (let round = 1; round <= 30; round += 1) {
      expect(await client.request(post(server.url))).toMatchObject({ status: 200 });
      for (const socket of server.sockets) round % 2 === 0 ? socket.destroy() : socket.resetAndDestroy();
      await wait(pauseMs);
    }
    expect(asked).toBe(30);
  });

  it('does not fail: by a farewell that crosses it', async () => {
    let asked = 0;
    const server = await http2Server((_request, response) => {
      asked += 1;
      response.end('x');
    });
    const client = newClient();
    for (let round = 1; round <= 30; round += 1) {
      expect(await client.request(post(server.url))).toMatchObject({ status: 200 });
      for (const session of server.sessions) session.close();
    }
    expect(asked).toBe(30);
  });
});

describe('over h2, a connection that ends under requests', () => {
  it('by a farewell lets them end, and new ones take another', async () => {
    const server = await holdingServer();
    const client = newClient();
    const running = Array.from({ length: 10 }, () => client.request(post(server.url)));
    await until(() => server.held.length === 10);
    server.sessions[0]?.close();
    await wait(50);
    const next = client.request(post(server.url));
    await until(() => server.held.length === 11);
    expect(server.sockets).toHaveLength(2);
    for (const response of server.held) response.end('x');
    for (const outcome of await Promise.all([...running, next]))
      expect(outcome).toMatchObject({ status: 200 });
    expect(server.held).toHaveLength(11);
  });

  it.each(['destroy', 'resetAndDestroy'] as const)(
    'by %s: each may have acted, none is repeated',
    async (death) => {
      const server = await holdingServer();
      const client = newClient();
      const running = Array.from({ length: 10 }, () => client.request(post(server.url)));
      await until(() => server.held.length === 10);
      server.sockets[0]?.[death]();
      for (const outcome of await Promise.all(running)) {
        expect(outcome).toMatchObject({ reason: 'reset', sent: true, status: undefined });
      }
      await wait(50);
      expect(server.held).toHaveLength(10);
    },
  );
});

describe('over h2, an answer that is none', () => {
  const outcomeOf = async (
    listener: (response: Http2ServerResponse) => void,
    overrides: Partial<HttpRequest> = {},
  ): Promise<HttpOutcome> => {
    const server = await http2Server((_, response) => listener(response));
    return newClient().request(post(server.url, overrides));
  };

  it('never comes', async () => {
    const outcome = await outcomeOf(() => {}, { timeoutMs: 200 });
    expect(outcome).toMatchObject({ reason: 'timeout', sent: true, status: undefined });
  });

  it.each([0, 2, 8, 11])('is taken back with code %i in the middle of its body', async (code) => {
    const outcome = await outcomeOf((response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{"result":');
      setTimeout(() => response.stream.close(code), 20);
    });
    expect(outcome).toMatchObject({ reason: 'broken_off', status: 200, sent: true });
  });

  it('is taken back before its head', async () => {
    const outcome = await outcomeOf(({ stream }) => stream.close(2));
    expect(outcome).toMatchObject({ reason: 'reset', status: undefined, sent: true });
  });

  it('was refused unseen: it is asked for once more, and no oftener', async () => {
    let asked = 0;
    const server = await http2Server((_, { stream }) => {
      asked += 1;
      stream.close(7);
    });
    expect(await newClient().request(post(server.url))).toMatchObject({ reason: 'reset', sent: false });
    expect(asked).toBe(2);
  });

  it('breaks off with its connection', async () => {
    const server = await http2Server((_, response) => {
      response.write('{"result":');
      setTimeout(() => server.sockets[0]?.destroy(), 20);
    });
    const outcome = await newClient().request(post(server.url));
    expect(outcome).toMatchObject({ reason: 'broken_off', status: 200 });
  });

  it('announces 200 MB', async () => {
    const outcome = await outcomeOf((response) => {
      response.stream.respond({ ':status': 200, 'content-length': 200_000_000 });
    });
    expect(outcome).toMatchObject({ reason: 'too_large', status: 200 });
  });

  it('has 200 MB unannounced', async () => {
    const outcome = await outcomeOf((response) => {
      const chunk = Buffer.alloc(100_000);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
      };
      response.on('drain', more);
      more();
    });
    expect(outcome).toMatchObject({ reason: 'too_large', status: 200 });
  });

  it('has a head without end', async () => {
    const outcome = await outcomeOf(
      (response) => {
        response.writeHead(
          200,
          Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`x-${i}`, 'x'.repeat(4_000)])),
        );
        response.end('x');
      },
      { timeoutMs: 3_000 },
    );
    expect(outcome).toMatchObject({ kind: 'failed' });
  });
});

describe('over h2, our own end', () => {
  it('takes the stream back and leaves the connection to the others', async () => {
    const server = await holdingServer();
    const client = newClient();
    const cancel = new AbortController();
    const cancelled = client.request(post(server.url, { signal: cancel.signal }));
    const other = client.request(post(server.url));
    await until(() => server.held.length === 2);
    cancel.abort();
    expect(await cancelled).toMatchObject({ reason: 'cancelled', sent: true });
    await until(() => server.held[0]?.stream.destroyed === true);
    server.held[1]?.end('x');
    expect(await other).toMatchObject({ status: 200 });
    expect(server.sockets).toHaveLength(1);
  });

  it('lets run what runs at the close, and takes nothing new', async () => {
    const server = await holdingServer();
    const client = newClient();
    const running = client.request(post(server.url));
    await until(() => server.held.length === 1);
    const closed = client.close();
    expect(await client.request(post(server.url))).toMatchObject({ reason: 'closed', sent: false });
    server.held[0]?.end('x');
    expect(await running).toMatchObject({ status: 200 });
    await closed;
    await until(() => server.sockets.every((socket) => socket.destroyed));
  });
});
