import { expect, test } from 'vitest';
import { table } from '../../src/cli/table.js';
import { columnsOf } from '../../src/cli/text-width.js';

const columns = [
  { heading: 'capability', align: 'left' },
  { heading: 'conf', align: 'right' },
  { heading: 'why not', align: 'left' },
] as const;

test('columns line up, wide characters included, and lines end where their text ends', () => {
  const text = table(columns, [
    ['report/weekly', '0.9', ''],
    ['表格/转换为文本', '0.25', 'a lower confidence'],
  ]);
  expect(text).toBe(
    [
      'capability       conf  why not',
      'report/weekly     0.9',
      '表格/转换为文本  0.25  a lower confidence',
      '',
    ].join('\n'),
  );
  const lines = text.split('\n');
  expect(columnsOf(lines[2]?.slice(0, lines[2].indexOf('a lower')) ?? '')).toBe(lines[0]?.indexOf('why'));
});

test('a hostile cell stays one harmless cell', () => {
  const text = table(columns, [['\u001b[2Jgone\nnew line', '1', '\u202eesrever\u009b31m']]);
  expect(text.split('\n')).toHaveLength(3);
  expect(text).toContain('\\u001b[2Jgone\\u000anew line');
  expect(text).toContain('\\u202eesrever\\u009b31m');
});
