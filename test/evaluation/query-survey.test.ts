import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { surveyQueries } from '../../src/evaluation/query-survey.js';
import { formatFault } from '../../src/manifest/check-manifests.js';
import { LIMITS } from '../../src/wire/limits.js';
import { manifestOf } from '../support/candidates.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const folder = await temporaryFolder(afterAll);
const MANIFESTS = [
  manifestOf('a', [{ id: 'list', examples: ['Show  all ORDERS'] }, { id: 'pay' }]),
  manifestOf('b', [{ id: 'list' }]),
];

async function fileOf(content: string | Uint8Array): Promise<string> {
  const file = join(folder, 'queries.jsonl');
  await writeFile(file, content);
  return file;
}
const survey = async (content: string | Uint8Array) => surveyQueries(await fileOf(content), MANIFESTS);
const lines = (...queries: readonly object[]) => queries.map((query) => JSON.stringify(query)).join('\n');

describe('a survey of queries', () => {
  it('counts what decides how much can be concluded', async () => {
    const { survey: found, faults } = await survey(
      lines(
        { intent: 'pay it', payload: { x: 1 }, expected: ['pay'], lang: 'en' },
        { intent: 'pay it', payload: null, expected: ['a/pay'], lang: 'en' },
        { intent: ' pay it ', payload: { x: 1 }, expected: ['a/pay'], lang: 'en' },
        { intent: 'pay it', payload: { x: 1 }, expected: [], lang: 'en', note: '' },
        { intent: 'show all orders', expected: ['a/list'], lang: 'zh' },
      ),
    );
    expect(faults).toEqual([]);
    expect(found).toEqual({
      queries: 5,
      outOfScope: 1,
      withPayload: 3,
      langs: new Map([
        ['en', 4],
        ['zh', 1],
      ]),
      repeated: 2,
      contradicting: 1,
      declared: 1,
      unasked: 1,
      unread: new Map([['note', 4]]),
    });
  });

  it('takes a bare id for all that have it', async () => {
    expect((await survey(lines({ intent: 'x', expected: ['list'] }))).survey.unasked).toBe(1);
  });

  it('places every fault by line and pointer', async () => {
    const good = JSON.stringify({ intent: 'x', expected: [] });
    const bad = JSON.stringify({ intent: 'x', expected: ['pay', 'pai', 'c/list'] });
    const { faults, faultyLines } = await survey(`\ufeff${good}\r\n\n${bad}\n{\n${good}`);
    expect(faultyLines).toBe(2);
    expect(faults.map((fault) => formatFault({ ...fault, file: 'q' }))).toEqual([
      'q:3: /expected/1: no capability is called "pai". Did you mean pay?',
      'q:3: /expected/2: no capability is called "c/list". Did you mean list?',
      'q:4: not JSON: expected a field name in double quotes, received the end at column 2',
    ]);
  });

  it('says what is no text, too long, or nothing at all', async () => {
    const broken = Buffer.concat([Buffer.from('{"intent":"'), Buffer.from([0xff]), Buffer.from('"}\n')]);
    expect((await survey(broken)).faults[0]?.message).toBe('not UTF-8');
    const long = `{"intent":"${'x'.repeat(LIMITS.bodyBytes)}","expected":[]}\n${lines({ intent: 'x', expected: [] })}`;
    const found = await survey(long);
    expect(found.faults.map(({ line, message }) => [line, message])).toEqual([
      [1, `longer than ${LIMITS.bodyBytes} bytes`],
    ]);
    expect(found.survey.queries).toBe(1);
    expect((await survey('\n \n')).faults[0]?.message).toBe('it holds no query');
  });

  it('tells the first fifty faults of any number', async () => {
    const { faults, faultyLines } = await survey('{}\n'.repeat(2_000));
    expect([faults.length, faultyLines]).toEqual([50, 2_000]);
  });
});

it('reads what lies across the chunks of a file', async () => {
  const intents = Array.from({ length: 3_000 }, (_, i) => `第${i}个问题 ${'字'.repeat(i % 97)}`);
  const file = await fileOf(lines(...intents.map((intent) => ({ intent, expected: [] }))));
  const read: string[] = [];
  for await (const { intent, line } of queriesOf(file)) {
    expect(line).toBe(read.length + 1);
    read.push(intent);
  }
  expect(read).toEqual(intents);
});
