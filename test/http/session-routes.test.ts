import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { SessionWire } from '../../src/wire/sessions.js';
import { standInReach } from '../support/stand-in-reach.js';

async function served() {
  const door = await startHttp(standInReach(), { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  const at = (path: string) => `${door.address}/api/v1/sessions${path}`;
  const put = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(at(`/${encodeURIComponent(id)}`), {
      method: 'PUT',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return { at, put, address: door.address };
}

const codeOf = async (response: Response) => [
  response.status,
  ((await response.json()) as { code: string }).code,
];

describe('a session over HTTP', () => {
  test('is written by the revision that it replaces, which is its ETag', async () => {
    const { at, put } = await served();
    const content = { kind: 'task', summary: '一', entities: { order_id: { deep_name: 1 } } };
    const first = await put('会 话', content, { 'if-none-match': '*' });
    expect([first.status, first.headers.get('etag')]).toEqual([200, '"1"']);
    const second = await put('会 话', { ...content, user_id: 'u' }, { 'if-match': '"1"' });
    expect(second.headers.get('etag')).toBe('"2"');
    const read = await fetch(at(`/${encodeURIComponent('会 话')}`));
    expect(read.headers.get('etag')).toBe('"2"');
    const session = (await read.json()) as SessionWire;
    expect(session).toMatchObject({ session_id: '会 话', ...content, user_id: 'u', revision: 2, rounds: [] });
    expect(Date.parse(session.expires_at) - Date.parse(session.updated_at)).toBe(24 * 3_600_000);
  });

  test('"0" says that there is none yet', async () => {
    const { put } = await served();
    expect((await put('s', {}, { 'if-match': '"0"' })).status).toBe(200);
    expect(await codeOf(await put('s', {}, { 'if-match': '"0"' }))).toEqual([412, 'REVISION_STALE']);
    expect(await codeOf(await put('s', {}, { 'if-none-match': '*' }))).toEqual([412, 'REVISION_STALE']);
  });

  test('is not written without a revision, with another one, or with what is none', async () => {
    const { put } = await served();
    expect(await codeOf(await put('s', {}))).toEqual([428, 'REVISION_REQUIRED']);
    expect(await codeOf(await put('s', {}, { 'if-match': '"3"' }))).toEqual([412, 'REVISION_STALE']);
    for (const header of ['3', '*', 'W/"3"', '"-1"']) {
      expect(await codeOf(await put('s', {}, { 'if-match': header }))).toEqual([422, 'INVALID_REQUEST']);
    }
  });

  test('a session write from two places, both at once: one is refused, and reads what the other wrote', async () => {
    const { at, put } = await served();
    await put('s', {}, { 'if-match': '"0"' });
    const writes = ['one', 'other'].map((summary) => put('s', { summary }, { 'if-match': '"1"' }));
    const statuses = (await Promise.all(writes)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 412]);
    expect(await (await fetch(at('/s'))).json()).toMatchObject({ revision: 2 });
  });

  test('is refused where it is too large, or has what no session has', async () => {
    const { put } = await served();
    const none = { 'if-none-match': '*' };
    const large = await put('s', { summary: 'x'.repeat(70_000) }, none);
    expect(await codeOf(large)).toEqual([413, 'BODY_TOO_LARGE']);
    for (const body of [{ revision: 1 }, { kind: 'talk' }, { rounds: Array(4).fill({}) }, { entities: [] }]) {
      expect(await codeOf(await put('s', body, none))).toEqual([422, 'INVALID_REQUEST']);
    }
  });

  test('is listed, and forgotten once', async () => {
    const { at, put } = await served();
    for (const id of ['a', 'b']) await put(id, { intent: `what ${id}` }, { 'if-none-match': '*' });
    const { sessions } = (await (await fetch(at('?limit=1'))).json()) as { sessions: object[] };
    expect(sessions).toEqual([expect.objectContaining({ session_id: 'b', intent: 'what b', revision: 1 })]);
    expect(sessions[0]).not.toHaveProperty('entities');
    expect(await codeOf(await fetch(at('?limit=0')))).toEqual([422, 'INVALID_REQUEST']);
    expect(await (await fetch(at('/a'), { method: 'DELETE' })).json()).toEqual({ session_id: 'a' });
    expect(await codeOf(await fetch(at('/a'), { method: 'DELETE' }))).toEqual([404, 'SESSION_UNKNOWN']);
    expect(await codeOf(await fetch(at('/a')))).toEqual([404, 'SESSION_UNKNOWN']);
  });
});

test('POST /reach/invoke translates a message and its reply', async () => {
  const { address } = await served();
  const invoke = (body: unknown) =>
    fetch(`${address}/reach/invoke`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const message = { session_id: 's', user_id: 'u', message: '你好', platform: 'feishu', extra: { a_b: 1 } };
  expect(await (await invoke(message)).json()).toEqual({
    agent_id: 'report-agent',
    reply: '你好',
    session_id: 's',
    spent_ms: 3,
    need_human_handoff: false,
  });
  expect((await invoke({ message: 'no session' })).status).toBe(422);
});
