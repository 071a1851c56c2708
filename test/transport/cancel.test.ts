import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { CONNECTIONS_PER_ORIGIN } from '../../src/net/connector.js';
import { CallLog, callOf, newTransport } from '../support/agent-call.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { recordingAgent } from '../support/recording-agent.js';
import { until } from '../support/until.js';

const JSON_TYPE = { 'content-type': 'application/json' };

describe('the signal of a call', () => {
  it('ends it at once, and the agent sees that nobody waits any more', async () => {
    let left = false;
    const server = await httpServer(
      (_, response) =>
        void response.on('close', () => {
          left = true;
        }),
    );
    const cancel = new AbortController();
    const answer = newTransport().call(callOf(server.url, { signal: cancel.signal }), new CallLog());
    await until(() => server.sockets.length === 1);
    cancel.abort();
    expect(await answer).toEqual({ kind: 'cancelled' });
    await until(() => left);
  });

  it('ends one that waits for a connection, and its place in the line', async () => {
    const held: ServerResponse[] = [];
    const server = await httpServer((_, response) => void held.push(response));
    const transport = newTransport();
    const call = (signal?: AbortSignal) => transport.call(callOf(server.url, { signal }), new CallLog());
    const running = Array.from({ length: CONNECTIONS_PER_ORIGIN }, () => call());
    await until(() => held.length === CONNECTIONS_PER_ORIGIN);
    const cancel = new AbortController();
    const waiting = call(cancel.signal);
    const next = call();
    cancel.abort();
    expect(await waiting).toEqual({ kind: 'cancelled' });
    for (const response of held) response.writeHead(200, JSON_TYPE).end('{"result":1}');
    await until(() => held.length === CONNECTIONS_PER_ORIGIN + 1);
    held.at(-1)?.writeHead(200, JSON_TYPE).end('{"result":2}');
    expect(await next).toMatchObject({ result: 2 });
    expect(await Promise.all(running)).toHaveLength(CONNECTIONS_PER_ORIGIN);
  });

  it('that came before the call lets nothing be sent', async () => {
    const agent = await recordingAgent();
    const answer = await newTransport().call(
      callOf(agent.url, { signal: AbortSignal.abort() }),
      new CallLog(),
    );
    expect(answer).toEqual({ kind: 'cancelled' });
    expect(agent.seen).toHaveLength(0);
  });

  it('that comes after the end changes nothing', async () => {
    const agent = await recordingAgent();
    const cancel = new AbortController();
    const transport = newTransport();
    expect(await transport.call(callOf(agent.url, { signal: cancel.signal }), new CallLog())).toMatchObject({
      kind: 'completed',
    });
    cancel.abort();
    expect(await transport.call(callOf(agent.url), new CallLog())).toMatchObject({ kind: 'completed' });
  });
});

describe('to cancel', () => {
  const work = (address: string | URL) => ({
    address: String(address),
    auth: { type: 'none' } as const,
    requestId: 'request-1',
  });

  it('tells the agent by which id', async () => {
    const agent = await recordingAgent();
    await newTransport().cancel(work(new URL('/base', agent.url)));
    expect(agent.seen).toMatchObject([{ path: '/base/cancel', body: { request_id: 'request-1' } }]);
  });

  it.each([
    ['answers with an error', 'HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'],
    ['speaks something else', '220 mail.example ESMTP\r\n'],
  ])('an agent that %s is no error', async (_, answer) => {
    const agent = await rawServer((socket) => socket.end(answer));
    await expect(newTransport().cancel(work(agent.url))).resolves.toBeUndefined();
  });

  it('an agent that never answers is waited for 2 s', async () => {
    const agent = await rawServer(() => {});
    const start = performance.now();
    await newTransport().cancel(work(agent.url));
    expect(performance.now() - start).toBeGreaterThan(1_900);
    expect(performance.now() - start).toBeLessThan(10_000);
  });

  it('an address that may not be called is left alone', async () => {
    await expect(newTransport().cancel(work('http://169.254.169.254'))).resolves.toBeUndefined();
  });
});
