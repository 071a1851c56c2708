import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { HttpProbe } from '../../src/health/http-probe.js';
import { FreshHttpClient } from '../../src/net/fresh-http-client.js';
import { freePort } from '../support/free-port.js';
import { httpServer, rawServer } from '../support/local-servers.js';

function newProbe(): HttpProbe {
  const probe = new HttpProbe(new FreshHttpClient(), systemClock);
  onTestFinished(() => probe.close());
  return probe;
}

async function probeOf(status: number): Promise<unknown> {
  const server = await httpServer((_, response) => {
    response.writeHead(status, { location: '/elsewhere' }).end();
  });
  return newProbe().probe(server.url.href);
}

describe('a probe', () => {
  it.each([200, 204, 299])('succeeds with %d, and has measured how long it took', async (status) => {
    const result = await probeOf(status);
    expect(result).toEqual({ kind: 'ok', rttMs: expect.any(Number) });
    expect(result).not.toEqual({ kind: 'ok', rttMs: 0 });
  });

  it('fails with a redirect, which is not followed', async () => {
    expect(await probeOf(302)).toEqual({ kind: 'failed', by: 'answer', detail: 'it answered 302' });
  });

  it.each([404, 429, 500, 503])('fails with %d', async (status) => {
    expect(await probeOf(status)).toEqual({ kind: 'failed', by: 'answer', detail: `it answered ${status}` });
  });

  it.each([401, 403])('finds with %d that a login is missing, not that it is unreachable', async (status) => {
    expect(await probeOf(status)).toEqual({ kind: 'needs_auth', detail: `it answered ${status}` });
  });

  it('fails with 10 MB', async () => {
    const server = await httpServer((_, response) => void response.end(Buffer.alloc(10_000_000)));
    expect(await newProbe().probe(server.url.href)).toEqual({
      kind: 'failed',
      by: 'answer',
      detail: 'it answered 200, but the answer is larger than 65536 bytes',
    });
  });

  it('fails after 2 s with an answer that never ends', async () => {
    const server = await httpServer((_, response) => void response.write('x'));
    expect(await newProbe().probe(server.url.href)).toEqual({
      kind: 'failed',
      by: 'answer',
      detail: 'it answered 200, but no whole answer within 2000 ms',
    });
  });

  it('fails after 2 s with one header a second', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-drip: 1\r\n'), 1_000);
      socket.on('close', () => clearInterval(drip));
    });
    expect(await newProbe().probe(server.url.href)).toEqual({
      kind: 'failed',
      by: 'network',
      detail: 'no whole answer within 2000 ms',
    });
  });

  it('fails by the network where nobody listens', async () => {
    const result = await newProbe().probe(`http://127.0.0.1:${await freePort()}/healthz`);
    expect(result).toMatchObject({ kind: 'failed', by: 'network' });
    expect(result).toMatchObject({ detail: expect.stringContaining('ECONNREFUSED') });
  });

  it('fails by the network where the connection is reset', async () => {
    const server = await rawServer((socket) => void socket.resetAndDestroy());
    expect(await newProbe().probe(server.url.href)).toMatchObject({ kind: 'failed', by: 'network' });
  });

  it('fails by the answer where what comes is not HTTP', async () => {
    const server = await rawServer((socket) => void socket.end('220 mail.example ESMTP\r\n'));
    expect(await newProbe().probe(server.url.href)).toMatchObject({ kind: 'failed', by: 'answer' });
  });

  it('succeeds where the answer is slow but in time', async () => {
    const server = await httpServer((_, response) => void setTimeout(() => response.end('ok'), 1_000));
    expect(await newProbe().probe(server.url.href)).toMatchObject({ kind: 'ok' });
  });

  it('does not go to an address that may not be called', async () => {
    const result = await newProbe().probe('http://169.254.169.254/latest/meta-data');
    expect(result).toMatchObject({ kind: 'failed', detail: expect.stringContaining('169.254.169.254') });
  });
});
