import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test } from 'vitest';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { startHttp } from '../../src/http/server.js';
import { REPORTS, SALES, servedLabels } from '../labels/served-labels.js';
import { standInReach } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

async function fileOf(lines: readonly (object | string)[]): Promise<string> {
  const file = join(await temporaryFolder(), 'labels.jsonl');
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(file, `${text.join('\n')}\n`);
  return file;
}

async function allOf<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('labels import', () => {
  test('keeps the queries of a file, of their payloads names and types alone, and gives them back as queries', async () => {
    const { address } = await servedLabels();
    const file = await fileOf([
      { intent: '生成周报', payload: { week: 23, iban: 'DE02' }, expected: ['summary'], lang: 'zh' },
      { intent: 'weekly numbers\u001b[2J', payload: {}, expected: [REPORTS] },
      { intent: 'sing', expected: [], note: 'nothing fits' },
    ]);
    expect(await captured(['labels', 'import', file, '--url', address])).toEqual({
      code: 0,
      out: '3 labels are kept, 3 of them new\n',
      err: '',
    });
    expect((await captured(['labels', 'import', file, '--url', address])).out).toContain('0 of them new');

    const { code, out } = await captured(['labels', 'export', '--source', 'import', '--url', address]);
    expect([code, out.split('\n').length]).toEqual([0, 4]);
    expect(out).not.toContain('DE02');
    expect(out).not.toContain('\u001b');
    const exported = await fileOf(out.trimEnd().split('\n'));
    expect(await allOf(queriesOf(exported))).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          intent: '生成周报',
          lang: 'zh',
          payload: { week: 1, iban: 'text' },
          expected: [REPORTS, SALES],
        }),
        expect.objectContaining({ intent: 'weekly numbers\u001b[2J', payload: {}, expected: [REPORTS] }),
        expect.objectContaining({ intent: 'sing', payload: null, expected: [] }),
      ]),
    );
    expect((await captured(['labels', 'import', exported, '--url', address])).out).toContain('0 of them new');
  });

  test('a file with broken lines is refused with each fault as file:line, and nothing is imported', async () => {
    const { address, reach } = await servedLabels();
    const file = await fileOf([
      { intent: 'fine', expected: [REPORTS] },
      '{"intent": "cut off',
      '',
      { intent: 'a capability that is gone', expected: ['reports/old'] },
      { intent: 'x'.repeat(20_001), expected: [] },
      { intent: 'x', expected: [], payload_fields: { week: 'week 23' } },
    ]);
    const { code, out, err } = await captured(['labels', 'import', file, '--url', address]);
    expect([code, out]).toEqual([1, '']);
    const [cut, gone, long, typed, last] = err.split('\n');
    expect(cut).toContain(`${file}:2: not JSON`);
    expect(gone).toContain(`${file}:4: /expected/0: no capability is called "reports/old"`);
    expect(long).toContain(`${file}:5: /intent: expected 1 to 20000 characters`);
    expect(typed).toContain(`${file}:6: /payload_fields`);
    expect(last).toBe('agent-reach: 4 lines cannot be used; nothing was imported');
    expect(await allOf(reach.labels())).toEqual([]);
  });

  test('a file of 100,001 labels is refused as a whole, with the line that is too much', {
    timeout: 120_000,
  }, async () => {
    const { address } = await servedLabels();
    const file = await fileOf(
      Array.from({ length: 100_001 }, (_, index) => ({ intent: `intent ${index}`, expected: [] })),
    );
    const { code, err } = await captured(['labels', 'import', file, '--url', address]);
    expect(code).toBe(1);
    expect(err).toContain(`${file}:100001: more than the 100000 labels that a server keeps`);
  });

  test('many and long labels go in as many calls as they need', { timeout: 120_000 }, async () => {
    const { address, reach } = await servedLabels();
    const long = Array.from({ length: 60 }, (_, index) => ({
      intent: `${index} ${'\u0001'.repeat(19_000)}.`,
      expected: [REPORTS],
    }));
    const short = Array.from({ length: 2_500 }, (_, index) => ({
      intent: `intent ${index}`,
      expected: [SALES],
    }));
    const file = await fileOf([...long, ...short]);
    const { out, err } = await captured(['labels', 'import', file, '--url', address]);
    expect([out, err]).toEqual(['2560 labels are kept, 2560 of them new\n', '']);
    expect(await allOf(reach.labels())).toHaveLength(2_560);
  });

  test('a file that is not there is a wrong use', async () => {
    const { address } = await servedLabels();
    const { code, err } = await captured(['labels', 'import', 'nowhere.jsonl', '--url', address]);
    expect([code, err]).toEqual([2, expect.stringContaining('nowhere.jsonl cannot be read')]);
  });
});

describe('labels add, review and remove', () => {
  test('say what is right, what to look at, and take it back', async () => {
    const { address } = await servedLabels();
    const at = ['--url', address];
    const added = await captured(['labels', 'add', '生成周报', REPORTS, ...at]);
    expect(added).toMatchObject({ code: 0, out: expect.stringMatching(/^lb_\w+ is kept\n$/) });
    expect((await captured(['labels', 'add', '生成周报', REPORTS, ...at])).out).toContain('was kept already');
    expect((await captured(['labels', 'review', ...at])).out).toBe(
      '1 labels are kept: nothing to look at.\n',
    );
    expect((await captured(['labels', 'add', '生成周报', '--nothing-fits', ...at])).code).toBe(0);
    const { out } = await captured(['labels', 'review', ...at]);
    expect(out).toMatch(
      /^2 labels contradict each other: .*\n {2}lb_.* added {2}生成周报 {2}-> reports\/summary\n.*-> nothing fits\n/,
    );
    const [labelId = ''] = added.out.split(' ');
    expect((await captured(['labels', 'remove', labelId, ...at])).out).toBe(`${labelId} is removed\n`);
    expect(await captured(['labels', 'remove', labelId, ...at])).toMatchObject({
      code: 1,
      err: expect.stringContaining('No label'),
    });
    for (const wrong of [['x'], ['x', REPORTS, '--nothing-fits']]) {
      expect((await captured(['labels', 'add', ...wrong, ...at])).code).toBe(2);
    }
    expect(await captured(['labels', 'add', 'x', 'reports/old', ...at])).toMatchObject({
      code: 1,
      err: expect.stringContaining('reports/old'),
    });
  });

  test('a review is one text that does nothing to a terminal, whatever is in it', async () => {
    const hostile = {
      labelId: 'lb_1',
      at: '2026-01-02T03:04:05.678Z',
      source: 'outcome',
      lang: 'und',
    } as const;
    const told = {
      ...hostile,
      intent: 'a\u001b[2J\nb',
      payloadFields: { '\u202ex': 'string' as const },
      expected: ['old/\u0007'],
    };
    const reach = {
      ...standInReach(),
      reviewLabels: async () => ({
        labels: 30,
        contradictions: [],
        nearDuplicates: null,
        gone: [{ capability: 'old/\u0007', count: 12, labels: [told] }],
        leftOut: { contradictions: 0, nearDuplicates: 0, gone: 3 },
      }),
    };
    const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
    onTestFinished(() => door.close());
    const { code, out } = await captured(['labels', 'review', '--url', door.address]);
    expect(code).toBe(0);
    expect(out.split('\n')).toEqual([
      '12 labels expect old/\\u0007, which is gone',
      expect.stringContaining('outcome  a\\u001b[2J\\u000ab  with \\u202ex  -> old/\\u0007'),
      '  and 11 older ones',
      'and 3 more capabilities that are gone',
      'Near-duplicates were not found in time: there are too many labels.',
      '30 labels are kept.',
      '',
    ]);
    const asJson = await captured(['labels', 'review', '--json', '--url', door.address]);
    expect(JSON.parse(asJson.out)).toMatchObject({ near_duplicates: null, left_out: { gone: 3 } });
  });
});
