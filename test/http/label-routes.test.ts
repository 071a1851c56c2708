import { describe, expect, test } from 'vitest';
import { label } from '../labels/labels.js';
import { REPORTS, SALES, servedLabels } from '../labels/served-labels.js';
import { manifestOf } from '../registry/registry-fixture.js';

const HOSTILE = '\u001b[31m\u202e=cmd|"/c calc"!A1\u0000\n{"intent":"y"}\u2028</script>';

type Answer = Readonly<Record<string, unknown>>;

async function served() {
  const { address, registry, stores } = await servedLabels();
  const call = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${address}/api/v1/labels${path}`, init);
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const post = (body: unknown) =>
    call('', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const exported = async (query = '') => {
    const response = await fetch(`${address}/api/v1/labels${query}`);
    expect(response.headers.get('content-type')).toBe('application/jsonl');
    const lines = (await response.text()).split('\n');
    expect(lines.pop()).toBe('');
    return lines.map((line): Answer => JSON.parse(line));
  };
  return { call, post, exported, registry, stores };
}

describe('labels over HTTP', () => {
  test('bare ids that more agents have than a label may name are refused, however often they are repeated', async () => {
    const { post, registry } = await served();
    const labels = [{ intent: 'sum up the week', expected: ['summary', 'summary', REPORTS] }];
    for (let count = 2; count < 100; count += 1)
      await registry.publish(manifestOf(`team-${count}`, 1), 'api');
    expect(await post({ labels })).toMatchObject({ status: 200, body: { added: 1 } });
    await registry.publish(manifestOf('one-too-many', 1), 'api');
    const errors = [{ pointer: '/labels/0/expected' }];
    expect(await post({ labels })).toMatchObject({ status: 422, body: { code: 'INVALID_REQUEST', errors } });
  });

  test('hostile text and an intent of 20,000 characters come back as they are, each on its line', async () => {
    const { post, exported } = await served();
    const fields = { [HOSTILE]: 'string', weekNo: 'integer', week_no: 'number' };
    const intents = [HOSTILE, '周'.repeat(20_000)];
    const labels = intents.map((intent) => ({
      intent,
      payload_fields: fields,
      expected: ['summary'],
      lang: 'zh',
    }));
    const { status, body } = await post({ labels, source: 'import' });
    expect([status, body.added]).toEqual([200, 2]);
    const lines = await exported('?source=import&hours=1');
    expect(new Set(lines.map(({ intent }) => intent))).toEqual(new Set(intents));
    expect(lines[0]).toEqual({
      label_id: expect.stringMatching(/^lb_[0-9a-f]{32}$/),
      at: expect.stringMatching(/^20\d\d-.*Z$/),
      source: 'import',
      intent: expect.any(String),
      lang: 'zh',
      payload_fields: fields,
      expected: [REPORTS, SALES],
      route_id: null,
    });
    expect(await exported('?source=ticket')).toEqual([]);
  });

  test('where nobody names the language of an intent, it is what it looks like', async () => {
    const { post, exported } = await served();
    const intents = ['帮我取消 order 7', 'cancel order 7', 'отмени заказ 7'];
    await post({ labels: intents.map((intent) => ({ intent, expected: [] })) });
    const lines = await exported();
    expect(new Set(lines.map(({ intent, lang }) => `${lang}: ${intent}`))).toEqual(
      new Set(['zh: 帮我取消 order 7', 'en: cancel order 7', 'und: отмени заказ 7']),
    );
  });

  test.each<[string, unknown, number, string, string]>([
    ['no labels', { labels: [] }, 422, 'INVALID_REQUEST', '/labels'],
    [
      '1,001 labels at once',
      { labels: Array.from({ length: 1_001 }, () => ({ intent: 'x', expected: [] })) },
      422,
      'INVALID_REQUEST',
      '/labels',
    ],
    [
      'an intent of 20,001 characters',
      { labels: [{ intent: 'x'.repeat(20_001), expected: [] }] },
      422,
      'INVALID_REQUEST',
      '/labels/0/intent',
    ],
    [
      'a payload',
      { labels: [{ intent: 'x', expected: [], payload: { iban: 'DE02' } }] },
      422,
      'INVALID_REQUEST',
      '/labels/0/payload',
    ],
    [
      'a value in place of a type',
      { labels: [{ intent: 'x', expected: [], payload_fields: { iban: 'DE02' } }] },
      422,
      'INVALID_REQUEST',
      '/labels/0/payload_fields/iban',
    ],
    [
      'a user',
      { labels: [{ intent: 'x', expected: [], user_id: 'li' }] },
      422,
      'INVALID_REQUEST',
      '/labels/0/user_id',
    ],
    [
      'a source of traffic',
      { labels: [{ intent: 'x', expected: [] }], source: 'clarify' },
      422,
      'INVALID_REQUEST',
      '/source',
    ],
    [
      'a capability that is gone',
      { labels: [{ intent: 'x', expected: [REPORTS, 'reports/old'] }] },
      404,
      'CAPABILITY_UNKNOWN',
      '/labels/0/expected/1',
    ],
  ])('refuses %s, and keeps nothing', async (_, body, status, code, pointer) => {
    const { post, exported } = await served();
    const refused = await post(body);
    expect(refused).toMatchObject({ status, body: { code, errors: [{ pointer }] } });
    expect(await exported()).toEqual([]);
  });

  test('review and removal, of what is there and of what is not', async () => {
    const { post, call } = await served();
    const said = (expected: string[]) => ({
      intent: '生成周报',
      payload_fields: { weekNo: 'integer' },
      expected,
    });
    const { body } = await post({ labels: [said([REPORTS]), said([SALES])] });
    const [first = ''] = body.label_ids as string[];
    expect((await call('/review')).body).toMatchObject({
      labels: 2,
      contradictions: [{ count: 2, labels: [{ payload_fields: { weekNo: 'integer' } }, {}] }],
      near_duplicates: [],
      gone: [],
    });
    expect(await call(`/${first}`, { method: 'DELETE' })).toEqual({ status: 200, body: { label_id: first } });
    expect(await call(`/${first}`, { method: 'DELETE' })).toMatchObject({
      status: 404,
      body: { code: 'LABEL_UNKNOWN' },
    });
    expect((await call('?source=nobody')).body).toMatchObject({ code: 'INVALID_REQUEST' });
    expect((await call('?hours=8761')).body).toMatchObject({
      code: 'INVALID_REQUEST',
      errors: [{ pointer: '/hours' }],
    });
    expect((await call('/review')).body).toMatchObject({ labels: 1, contradictions: [] });
  });

  test('of 100,001 labels the last is refused where people wrote all, and let in where nobody did', {
    timeout: 300_000,
  }, async () => {
    const { post, stores, call } = await served();
    for (let start = 0; start < 100_000; start += 5_000) {
      const batch = Array.from({ length: 5_000 }, (_, index) =>
        label(start + index, { source: start + index === 0 ? 'clarify' : 'import' }),
      );
      expect(await stores.labels.add('t', batch)).toBe(5_000);
    }
    const one = (intent: string) => post({ labels: [{ intent, expected: [REPORTS] }] });
    expect((await one('takes the place of what nobody wrote')).status).toBe(200);
    expect(await one('one too many')).toMatchObject({ status: 409, body: { code: 'LABELS_FULL' } });
    expect((await one('takes the place of what nobody wrote')).body).toMatchObject({ added: 0 });
    const oldest = await stores.labels.page('t', {
      source: undefined,
      fromMs: 0,
      after: undefined,
      limit: 1,
    });
    expect(oldest).toEqual([label(1, { source: 'import' })]);
    expect((await call(`/${oldest[0]?.labelId}`, { method: 'DELETE' })).status).toBe(200);
    expect((await one('one too many')).status).toBe(200);
  });

  test('says that the store is gone while it still can', async () => {
    const { call, stores } = await served();
    await stores.close();
    expect(await call('')).toMatchObject({ status: 503, body: { code: 'CLOSED' } });
  });
});
