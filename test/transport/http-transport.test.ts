import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { CallLog, callOf, newTransport } from '../support/agent-call.js';
import { httpServer, rawServer } from '../support/local-servers.js';
import { mortalAgent } from '../support/mortal-agent.js';
import { recordingAgent } from '../support/recording-agent.js';

const JSON_TYPE = { 'content-type': 'application/json' };

/** What the transport makes of one answer of a real server. */
async function answerTo(status: number, body: string | Buffer, headers: OutgoingHttpHeaders = JSON_TYPE) {
  const server = await httpServer((_, response) => void response.writeHead(status, headers).end(body));
  return newTransport().call(callOf(server.url), new CallLog());
}

describe('what an agent is sent', () => {
  it('is the request, with its id, attempt, deadline and trace', async () => {
    const agent = await recordingAgent();
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await newTransport().call(
      callOf(agent.url, {
        attempt: 2,
        timeoutMs: 1_234.7,
        session: { session_id: 's', user_id: 'u', entities: { month: 'May' } },
        replyTo: 'https://reach.example/api/v1/requests/request-1/reply?token=t',
        traceparent,
        lane: 'P0',
      }),
      new CallLog(),
    );
    expect(agent.seen).toMatchObject([
      {
        path: '/execute',
        headers: {
          'content-type': 'application/json',
          'x-reach-request-id': 'request-1',
          'x-reach-attempt': '2',
          'x-reach-timeout-ms': '1234',
          'idempotency-key': 'request-1',
          accept: 'application/json, text/event-stream',
          'accept-encoding': 'gzip',
          traceparent,
        },
      },
    ]);
    expect(agent.seen[0]?.body).toEqual({
      request_id: 'request-1',
      capability_id: 'weekly',
      intent: '生成周报',
      payload: { team: 'sales' },
      lane: 'P0',
      session: { session_id: 's', user_id: 'u', entities: { month: 'May' } },
      reply_to: 'https://reach.example/api/v1/requests/request-1/reply?token=t',
    });
  });

  it('has no session and no trace where the caller gave none or nonsense', async () => {
    const agent = await recordingAgent();
    await newTransport().call(
      callOf(agent.url, { intent: undefined, payload: null, traceparent: 'x\r\nx-evil: 1' }),
      new CallLog(),
    );
    expect(agent.seen[0]?.body).toEqual({
      request_id: 'request-1',
      capability_id: 'weekly',
      intent: null,
      payload: null,
      lane: 'P1',
      reply_to: null,
    });
    expect(agent.seen[0]?.headers).not.toHaveProperty('authorization');
    expect(agent.seen[0]?.headers).not.toHaveProperty('traceparent');
    expect(agent.seen[0]?.headers).not.toHaveProperty('x-evil');
  });

  it.each([
    ['', '/execute', '/execute'],
    ['base/', '/execute', '/base/execute'],
    ['base', '/run?mode=fast', '/base/run?mode=fast'],
    ['', '//elsewhere.example/x', '//elsewhere.example/x'],
    ['', '/执行', '/%E6%89%A7%E8%A1%8C'],
  ])('goes to the endpoint under the path of the address: %j %j', async (base, executeEndpoint, path) => {
    const agent = await recordingAgent();
    await newTransport().call(callOf(new URL(base, agent.url), { executeEndpoint }), new CallLog());
    expect(agent.seen.map((request) => request.path)).toEqual([path]);
  });

  it('is nothing where the address may not be called', async () => {
    const answer = await newTransport().call(callOf('http://169.254.169.254'), new CallLog());
    expect(answer).toMatchObject({ kind: 'failed', code: 'ADDRESS_FORBIDDEN', mayHaveExecuted: false });
  });
});

describe('an answer that is understood', () => {
  it.each([
    ['{"result":{"rows":[1,2]}}', { result: { rows: [1, 2] }, reply: undefined, needHumanHandoff: false }],
    ['{"result":null,"reply":"好的"}', { result: null, reply: '好的', needHumanHandoff: false }],
    ['{"result":0,"reply":null,"need_human_handoff":true}', { result: 0, needHumanHandoff: true }],
    ['{"result":"x","need_human_handoff":null,"more":1}', { result: 'x', needHumanHandoff: false }],
    ['{"result":1,"entities":{"month":"May"}}', { entities: { month: 'May' } }],
    ['{"result":1,"entities":null}', { entities: undefined }],
  ])('%s', async (body, expected) => {
    expect(await answerTo(200, body)).toMatchObject({ kind: 'completed', ...expected });
  });

  it('may be gzip', async () => {
    const answer = await answerTo(200, gzipSync('{"result":"周报"}'), {
      ...JSON_TYPE,
      'content-encoding': 'gzip',
    });
    expect(answer).toMatchObject({ kind: 'completed', result: '周报' });
  });

  it('may lack its media type', async () => {
    expect(await answerTo(200, '{"result":1}', {})).toMatchObject({ kind: 'completed', result: 1 });
  });
});

describe('work that is taken for later', () => {
  const replyTo = 'https://reach.example/reply?token=t';
  const answerTo202 = async (body: string, said: string | null) => {
    const server = await httpServer((_, response) => void response.writeHead(202, JSON_TYPE).end(body));
    return newTransport().call(callOf(server.url, { replyTo: said }), new CallLog());
  };

  it.each([
    ['{"queue_remaining":3,"estimated_delay_ms":1500}', { queueRemaining: 3, estimatedDelayMs: 1_500 }],
    ['{"queue_remaining":"many","estimated_delay_ms":-1}', {}],
    ['', {}],
    ['<html>', {}],
  ])('is accepted: %s', async (body, said) => {
    expect(await answerTo202(body, replyTo)).toEqual({
      kind: 'accepted',
      queueRemaining: undefined,
      estimatedDelayMs: undefined,
      ...said,
    });
  });

  it('without having been told where to answer is not understood, and may have been done', async () => {
    expect(await answerTo202('{}', null)).toMatchObject({ code: 'AGENT_PROTOCOL', mayHaveExecuted: true });
  });
});

describe('a refusal is the fault of the payload', () => {
  it('with the errors of a problem document', async () => {
    const errors = [{ pointer: '/payload/team', expected: 'a team', received: 'the string "x"' }];
    const problem = JSON.stringify({ title: 'Bad', detail: 'no such team', errors });
    const answer = await answerTo(422, problem, { 'content-type': 'application/problem+json' });
    expect(answer).toEqual({
      kind: 'refused',
      detail: 'the agent refused the payload: no such team',
      errors,
    });
  });

  it.each([
    ['{"error":"no such team"}', 'the agent refused the payload: no such team'],
    ['{"error":{"message":"no such team"}}', 'the agent refused the payload: no such team'],
    ['<html>400</html>', 'the agent refused the payload'],
    ['{"detail":7,"errors":[null,{"pointer":3},{}]}', 'the agent refused the payload'],
  ])('%s', async (body, detail) => {
    expect(await answerTo(400, body)).toEqual({ kind: 'refused', detail, errors: [] });
  });

  it('whose words are cut where they have no end', async () => {
    const body = JSON.stringify({
      detail: 'x'.repeat(100_000),
      errors: Array.from({ length: 5_000 }, () => ({ pointer: '/a' })),
    });
    const answer = await answerTo(422, body);
    expect(answer.kind === 'refused' && answer.detail.length).toBeLessThan(2_000);
    expect(answer.kind === 'refused' && answer.errors.length).toBe(100);
  });
});

describe('a status that tells of a failure', () => {
  it.each([
    [401, 'AGENT_NEEDS_AUTH', false],
    [403, 'AGENT_NEEDS_AUTH', false],
    [404, 'AGENT_FAILED', false],
    [409, 'AGENT_FAILED', false],
    [429, 'AGENT_BUSY', false],
    [503, 'AGENT_BUSY', false],
    [500, 'AGENT_FAILED', true],
    [502, 'AGENT_FAILED', true],
    [202, 'AGENT_PROTOCOL', true],
    [204, 'AGENT_PROTOCOL', true],
    [301, 'AGENT_PROTOCOL', true],
    [307, 'AGENT_PROTOCOL', true],
  ])('%i -> %s, may have executed: %s', async (status, code, mayHaveExecuted) => {
    const answer = await answerTo(status, status === 204 ? '' : '{}', { location: '/elsewhere' });
    expect(answer).toMatchObject({ kind: 'failed', code, mayHaveExecuted, unreached: false });
  });

  it("carries the agent's words", async () => {
    const answer = await answerTo(500, '{"error":"disk full"}');
    expect(answer).toMatchObject({ detail: 'the agent answered with status 500: disk full' });
  });

  it.each([
    ['7', 7_000],
    ['0', 0],
    ['99999999999', 86_400_000],
    ['soon', undefined],
    ['-5', undefined],
    ['12.5', undefined],
    ['Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ])('Retry-After %s -> %s ms', async (value, retryAfterMs) => {
    expect(await answerTo(503, '', { 'retry-after': value })).toMatchObject({
      code: 'AGENT_BUSY',
      retryAfterMs,
    });
  });

  it('Retry-After as a date to come', async () => {
    const answer = await answerTo(429, '', { 'retry-after': new Date(Date.now() + 60_000).toUTCString() });
    const retryAfterMs = answer.kind === 'failed' ? answer.retryAfterMs : undefined;
    expect(retryAfterMs).toBeGreaterThan(30_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });
});

describe('an answer that cannot be understood', () => {
  it.each([
    ['HTML', '<!doctype html><h1>Welcome</h1>', { 'content-type': 'text/html' }, 'text/html'],
    [
      'an unknown type',
      'PK\u0003\u0004',
      { 'content-type': 'application/x-surprise' },
      'application/x-surprise',
    ],
    ['no JSON', '{"result":', JSON_TYPE, 'not JSON'],
    ['nothing', '', JSON_TYPE, 'empty'],
    ['an array', '[1]', JSON_TYPE, 'not an object'],
    ['no result', '{"answer":1}', JSON_TYPE, 'no "result"'],
    ['a result only in its prototype', '{"__proto__":{"result":1}}', JSON_TYPE, 'no "result"'],
    ['a reply that is no string', '{"result":1,"reply":2}', JSON_TYPE, '"reply"'],
    [
      'a handoff that is no boolean',
      '{"result":1,"need_human_handoff":"no"}',
      JSON_TYPE,
      'need_human_handoff',
    ],
    ['invalid UTF-8', Buffer.from([...Buffer.from('{"result":"'), 0xff, 0x22, 0x7d]), JSON_TYPE, 'UTF-8'],
    ['entities that are no object', '{"result":1,"entities":[1]}', JSON_TYPE, '"entities"'],
    ['a body of an encoding that was not asked for', 'x', { 'content-encoding': 'br' }, 'br'],
    ['a body that is not gzip', '{"result":1}', { 'content-encoding': 'gzip' }, 'gzip'],
    [
      'gzip that is cut off',
      gzipSync('{"result":1}').subarray(0, -4),
      { 'content-encoding': 'gzip' },
      'gzip',
    ],
    ['endless nesting', `{"result":${'['.repeat(50_000)}${']'.repeat(50_000)}}`, JSON_TYPE, 'deeper'],
  ])('%s', async (_, body, headers, words) => {
    const answer = await answerTo(200, body, headers);
    expect(answer).toMatchObject({ kind: 'failed', code: 'AGENT_PROTOCOL', mayHaveExecuted: true });
    expect(answer).toHaveProperty('detail', expect.stringContaining(words));
  });

  it('200 MB that came as 200 KB of gzip', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576, 0x20), { level: 9 });
    expect(bomb.length).toBeLessThan(250_000);
    const answer = await answerTo(200, bomb, { 'content-encoding': 'gzip' });
    expect(answer).toMatchObject({ kind: 'failed', code: 'AGENT_PROTOCOL' });
    expect(answer).toHaveProperty('detail', expect.stringContaining('larger than 16777216 bytes'));
  });

  it('17 MB', async () => {
    const answer = await answerTo(200, Buffer.alloc(17 * 1_048_576, 0x20), {});
    expect(answer).toMatchObject({ kind: 'failed', code: 'AGENT_PROTOCOL' });
  });

  it('broken off in the middle', async () => {
    const agent = await rawServer((socket) =>
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"result"'),
    );
    expect(await newTransport().call(callOf(agent.url), new CallLog())).toMatchObject({
      kind: 'failed',
      code: 'AGENT_PROTOCOL',
    });
  });

  it('broken off while it tells of its own failure', async () => {
    const agent = await rawServer((socket) => socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 99\r\n\r\n{'));
    expect(await newTransport().call(callOf(agent.url), new CallLog())).toMatchObject({
      kind: 'failed',
      code: 'AGENT_FAILED',
    });
  });
});

describe('no answer', () => {
  it('by the deadline', async () => {
    const agent = await rawServer(() => {});
    expect(await newTransport().call(callOf(agent.url, { timeoutMs: 200 }), new CallLog())).toMatchObject({
      kind: 'timeout',
      code: 'DEADLINE_EXCEEDED',
      mayHaveExecuted: true,
    });
  });

  it('by a reset', async () => {
    const agent = await rawServer((socket) => socket.resetAndDestroy());
    const answer = await newTransport().call(callOf(agent.url), new CallLog());
    expect(answer).toMatchObject({
      kind: 'failed',
      code: 'AGENT_FAILED',
      mayHaveExecuted: true,
      unreached: true,
    });
  });

  it('because nobody listens', async () => {
    const agent = await rawServer(() => {});
    await agent.stop();
    const answer = await newTransport().call(callOf(agent.url), new CallLog());
    expect(answer).toMatchObject({
      kind: 'failed',
      code: 'AGENT_UNREACHABLE',
      mayHaveExecuted: false,
      unreached: true,
    });
  });

  it('because the process was killed at work, and after it', async () => {
    const agent = await mortalAgent();
    const call = callOf(agent.address);
    const transport = newTransport();
    const answer = transport.call(call, new CallLog());
    await agent.working();
    const gone = agent.kill();
    expect(await answer).toMatchObject({ kind: 'failed', code: 'AGENT_FAILED', mayHaveExecuted: true });
    await gone;
    expect(await transport.call(call, new CallLog())).toMatchObject({
      code: 'AGENT_UNREACHABLE',
      mayHaveExecuted: false,
    });
  });

  it('because the transport is closed', async () => {
    const agent = await recordingAgent();
    const transport = newTransport();
    await transport.close();
    expect(await transport.call(callOf(agent.url), new CallLog())).toMatchObject({
      kind: 'failed',
      code: 'CLOSED',
    });
  });
});
