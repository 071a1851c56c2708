import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatDelimited, parseDelimited } from '../../src/demo/agents/delimited-text.js';
import { spreadsheetAgent } from '../../src/demo/agents/spreadsheet-agent.js';
import { ask, faultsOf } from './ask.js';

const convert = (payload: Record<string, unknown> | null, intent = '') =>
  ask(spreadsheetAgent, 'convert-table', payload, intent).result;

describe('delimited text', () => {
  test('keeps quotes, delimiters and line breaks of quoted cells', () => {
    expect(parseDelimited('a,"x, ""y""\r\nz",\r\n"",2\n', ',')).toEqual({
      records: [
        { line: 1, cells: ['a', 'x, "y"\r\nz', ''] },
        { line: 3, cells: ['', '2'] },
      ],
    });
  });

  test('skips blank lines and counts lines of any kind', () => {
    expect(parseDelimited('\na\r\rb\r\n\n', ',')).toEqual({
      records: [
        { line: 2, cells: ['a'] },
        { line: 4, cells: ['b'] },
      ],
    });
  });

  test('tells where a quote opens that nothing closes', () => {
    expect(parseDelimited('a,b\n1,"2\n3', ',')).toEqual({ openQuoteOnLine: 2 });
  });

  test('comes back as it was written', () => {
    const cell = fc.string({ unit: 'binary' });
    // A record of one empty cell is a blank line, which counts for nothing.
    const records = fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { maxLength: 5 });
    fc.assert(
      fc.property(records, fc.constantFrom(',', ';', '\t'), (table, delimiter) => {
        const read = parseDelimited(formatDelimited(table, delimiter), delimiter);
        expect('records' in read && read.records.map(({ cells }) => cells)).toEqual(table);
      }),
    );
  });
});

describe('conversion', () => {
  test('of CSV to JSON types what shows a type, and keeps what is only digits', () => {
    const content =
      '\uFEFFid,name,ok,zip,big\n1,"O\'Neil, ""Al""",true,01067,12345678901234567890\n-2.50,,false,,\n';
    expect(convert({ content }, 'turn this csv into json')).toEqual({
      from: 'csv',
      to: 'json',
      columns: ['id', 'name', 'ok', 'zip', 'big'],
      row_count: 2,
      rows: [
        { id: 1, name: 'O\'Neil, "Al"', ok: true, zip: '01067', big: '12345678901234567890' },
        { id: -2.5, name: null, ok: false, zip: null, big: null },
      ],
      warnings: [],
    });
    expect(convert({ content: 'a\n1', options: { typed: false } })).toMatchObject({ rows: [{ a: '1' }] });
  });

  test('reads ragged rows and says so', () => {
    expect(convert({ content: 'a,a,\n1\n1,2,3,4\n' })).toMatchObject({
      columns: ['a', 'a_2', 'column_3', 'column_4'],
      rows: [
        { a: 1, a_2: null, column_3: null, column_4: null },
        { a: 1, a_2: 2, column_3: 3, column_4: 4 },
      ],
      warnings: ['line 2: 1 cells, the header has 3', 'line 3: 4 cells, the header has 3'],
    });
  });

  test('takes the target from the sentence, and without one has a natural one', () => {
    expect(convert({ content: 'a\tb\n1\t2' }, '帮我把这个表格转成 Markdown')).toMatchObject({
      from: 'tsv',
      to: 'markdown',
      content: '| a | b |\n| --- | --- |\n| 1 | 2 |\n',
    });
    expect(convert({ content: 'a;b\n1,5;2' }, 'turn this csv into jsno')).toMatchObject({
      to: 'json',
      rows: [{ a: '1,5', b: 2 }],
    });
    expect(convert({ content: '[{"姓名":"张伟","x":null},{"y":"a\\"b"}]' })).toMatchObject({
      from: 'json',
      to: 'csv',
      content: '姓名,x,y\r\n张伟,,\r\n,,"a""b"\r\n',
    });
  });

  test('takes a table that was pasted into the sentence', () => {
    expect(convert(null, 'csv to tsv please\nx,y\n1,2')).toMatchObject({
      to: 'tsv',
      content: 'x\ty\r\n1\t2\r\n',
    });
  });

  test('reads and writes Markdown with pipes and line breaks in cells', () => {
    const content = '| k | v |\n|:--|--:|\n| a \\| b | 1<br>2 |\n';
    expect(convert({ content, to: 'json' })).toMatchObject({
      from: 'markdown',
      rows: [{ k: 'a | b', v: '1\n2' }],
    });
    expect(convert({ content: [{ k: 'a | b', v: '1\n2' }], to: 'markdown' })).toMatchObject({
      content: '| k | v |\n| --- | --- |\n| a \\| b | 1<br>2 |\n',
    });
  });

  test('treats names that every object inherits as any other', () => {
    const result = convert({ content: '__proto__,constructor\n1,2', to: 'json' });
    expect(JSON.stringify(result)).toContain('"rows":[{"__proto__":1,"constructor":2}]');
  });

  test.each([
    [null, '/content', 'nothing'],
    [{ content: '  ' }, '/content', 'the string "  "'],
    [{ content: [] }, '/content', 'an array of 0'],
    [{ content: 'a,"b' }, '/content', 'the string "a,\\"b"'],
    [{ content: '{"a":1}', from: 'json' }, '/content', 'an object'],
    [{ content: '[1,', to: 'csv' }, '/content', 'the string "[1,"'],
    [{ content: '[{"a":{"b":1}}]' }, '/content/0/a', 'an object'],
    [{ content: 'a|b', from: 'markdown' }, '/content', 'the string "a|b"'],
    [{ content: 'a', to: 'xlsx' }, '/to', 'the string "xlsx"'],
    [{ content: 'a', options: { delimiter: 'x' } }, '/options/delimiter', 'the string "x"'],
    // 1,001 columns and 1,000 rows of one cell would be a million cells.
    [{ content: `${','.repeat(1000)}\n${'1\n'.repeat(1000)}` }, '/content', 'the number 1001000'],
  ])('refuses what is no table: %j', (payload, pointer, received) => {
    expect(faultsOf(spreadsheetAgent, 'convert-table', payload)).toMatchObject([{ pointer, received }]);
  });
});

test('a profile tells types, gaps, ranges and repeated rows', () => {
  const content = 'n,d,t,e,m\n3,2024-02-29,x,,1\n-1,2025-01-01,,,y\n3,2024-02-29,x,,1\n';
  const { result, reply } = ask(spreadsheetAgent, 'profile-table', { content }, '检查一下');
  expect(result).toEqual({
    from: 'csv',
    row_count: 3,
    columns: [
      { name: 'n', type: 'number', empty: 0, distinct: 2, min: -1, max: 3 },
      { name: 'd', type: 'date', empty: 0, distinct: 2, min: '2024-02-29', max: '2025-01-01' },
      { name: 't', type: 'text', empty: 1, distinct: 1 },
      { name: 'e', type: 'empty', empty: 3, distinct: 0 },
      { name: 'm', type: 'mixed', empty: 0, distinct: 2 },
    ],
    duplicate_rows: [2],
    warnings: [],
  });
  expect(reply).toBe('共 3 行,重复 1 行;有空值的列:t (1)、e (3)。');
});
