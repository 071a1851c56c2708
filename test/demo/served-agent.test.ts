import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { json, text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtEntry } from '../../src/built-entry.js';
import { httpServer } from '../support/local-servers.js';

const ENTRY = builtEntry('demo/sample-agent.js');

/** Starts the entry as a person would, and waits for the line that says where it listens. */
async function started(agentName: string): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [ENTRY, agentName, '0'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = await once(child.stdout, 'data');
  return { child, address: String(line).match(/http:\S+/)?.[0] ?? '' };
}

async function ended(child: ChildProcess): Promise<{ code: number | null; said: string }> {
  const said = child.stderr === null ? Promise.resolve('') : text(child.stderr);
  const [code] = await once(child, 'exit');
  return { code, said: await said };
}

describe('a served agent', () => {
  let child: ChildProcess;
  let address: string;

  beforeAll(async () => {
    ({ child, address } = await started('spreadsheet-agent'));
  });
  afterAll(async () => {
    child.kill();
    await ended(child);
  });

  const execute = (body: NonNullable<RequestInit['body']>, init: RequestInit = {}) =>
    fetch(`${address}/execute`, { method: 'POST', body, ...init });

  test('answers a call as the wire to an agent says', async () => {
    const response = await execute(
      JSON.stringify({
        request_id: 'r-1',
        capability_id: 'convert-table',
        intent: 'turn this csv into json',
        payload: { content: '名称,n\n"a ""b""",1' },
        lane: 'P1',
        session: { session_id: 's', user_id: null },
        reply_to: 'http://127.0.0.1:1/',
      }),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      result: {
        from: 'csv',
        to: 'json',
        columns: ['名称', 'n'],
        row_count: 1,
        rows: [{ 名称: 'a "b"', n: 1 }],
        warnings: [],
      },
      reply: 'Converted from csv to json; rows: 1, columns: 2.',
    });
  });

  test('names the faulty field of a payload', async () => {
    const response = await execute('{"capability_id":"convert-table","payload":{"content":"a","to":"xml"}}');
    expect(await response.json()).toMatchObject({
      detail: '/to: expected one of csv, tsv, json, markdown, received the string "xml"',
      errors: [{ pointer: '/to', expected: 'one of csv, tsv, json, markdown', received: 'the string "xml"' }],
    });
  });
});

describe('the process of an agent', () => {
  test('streams what it says to who reads it', async () => {
    const { child, address } = await started('chat-agent');
    const body = JSON.stringify({ capability_id: 'company-questions', intent: 'my laptop is broken' });
    const headers = { accept: 'application/json, text/event-stream' };
    const response = await fetch(`${address}/execute`, { method: 'POST', body, headers });
    const said = await response.text();
    expect(said).toMatch(/^event: delta\ndata: ".+"\n\n/);
    expect(said).toMatch(/\n\nevent: result\ndata: {"result":{"answered":true,.*}\n\n$/);
    child.kill();
    await ended(child);
  });

  test('takes long work for later, tells its progress and replies', async () => {
    const { child, address } = await started('deployment-agent');
    const replies: unknown[] = [];
    const service = await httpServer(async (request, response) => {
      replies.push(await json(request));
      response.end('{}');
    });
    const payload = { service: 'search', version: '2.0.0', environment: 'production' };
    const body = JSON.stringify({ capability_id: 'deploy-service', payload, reply_to: service.url.href });
    const response = await fetch(`${address}/execute`, { method: 'POST', body });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ estimated_delay_ms: 750 });
    const isDone = () => replies.some((reply) => (reply as { state: string }).state === 'completed');
    await expect.poll(isDone, { timeout: 30_000 }).toBe(true);
    expect(replies[0]).toEqual({ state: 'processing', progress: { traffic_percent: 25 } });
    expect(replies.at(-1)).toMatchObject({ result: { state: 'deployed', version: '2.0.0' } });
    child.kill();
    await ended(child);
  });

  test('lets a running request end on SIGTERM, and exits with 0', async () => {
    const { child, address } = await started('orders-agent');
    const body = JSON.stringify({ capability_id: 'order-status', payload: { order_id: '20231188' } });
    const socket = connect(Number(new URL(address).port), '127.0.0.1');
    socket.write(`POST /execute HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n`);
    socket.write('connection: close\r\nexpect: 100-continue\r\n\r\n');
    // The server has the request in hand once it asks for the rest of it.
    expect(String((await once(socket, 'data'))[0])).toContain('100 Continue');
    const end = ended(child);
    child.kill('SIGTERM');
    const newcomer = () => fetch(`${address}/execute`, { method: 'POST', body });
    await expect.poll(async () => (await newcomer()).status, { timeout: 30_000 }).toBe(503);
    socket.write(body);
    expect(await text(socket)).toContain('1Z999AA10123');
    expect((await end).code).toBe(0);
  });

  test.each([
    [['no-such-agent', '0'], /^Expected one of the sample agents .*, received no-such-agent\.\n$/],
    [['orders-agent', '70000'], /^Expected a port from 0 to 65535 for orders-agent, received 70000\.\n$/],
    [[], /^Expected one of the sample agents .*, received undefined\.\n$/],
  ])('says in one sentence what is wrong with %j, and exits with 1', async (args, sentence) => {
    const child = spawn(process.execPath, [ENTRY, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
    const { code, said } = await ended(child);
    expect(code).toBe(1);
    expect(said).toMatch(sentence);
  });

  test('says which port is taken, and exits with 1', async () => {
    const { child: first, address } = await started('chat-agent');
    const { port } = new URL(address);
    const second = spawn(process.execPath, [ENTRY, 'pivot-agent', port], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    expect(await ended(second)).toEqual({
      code: 1,
      said: expect.stringMatching(
        new RegExp(`^The agent pivot-agent cannot listen on port ${port}, .*in use.*\\n$`),
      ),
    });
    first.kill();
    await ended(first);
  });
});
