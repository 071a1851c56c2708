import { expect, test } from 'vitest';
import { csvLine } from '../../src/http/csv.js';
import { begun, inPieces } from '../../src/http/recorded-text.js';

test('a line of CSV is as RFC 4180 has it', () => {
  expect(csvLine(['plain', 0.5, null, 'a,b', 'say "hi"', 'two\r\nlines', '周报', ''])).toBe(
    'plain,0.5,,"a,b","say ""hi""","two\r\nlines",周报,\r\n',
  );
});

test.each([
  '=HYPERLINK("http://evil.example","x")',
  '+1',
  '-1+1',
  '@SUM(A1)',
  ' =1',
  '\t=1',
  '\n=1',
  '\rx',
  '＝1',
  '﻿=1',
])('text that a spreadsheet would run (%j) stays text', (text) => {
  expect(csvLine([text])).toMatch(/^"?'/);
});

test('numbers are not taken for formulas', () => {
  expect(csvLine([-0.25])).toBe('-0.25\r\n');
});

test('lines are sent in pieces, and read no further than they are taken', async () => {
  let read = 0;
  const lines = async function* () {
    for (; read < 1_000; read++) yield `${String(read).padStart(99)}\n`;
  };
  const pieces = inPieces('heading\n', lines());
  const first = await pieces.next();
  expect(first.value?.startsWith('heading\n')).toBe(true);
  expect(read).toBeLessThan(400);
  let rest = first.value ?? '';
  for await (const piece of pieces) rest += piece;
  expect(rest.split('\n')).toHaveLength(1_002);
});

test('what is left early is left by all that read for it', async () => {
  const left: string[] = [];
  const lines = async function* () {
    try {
      for (;;) yield 'x'.repeat(40_000);
    } finally {
      left.push('lines');
    }
  };
  for await (const piece of await begun(inPieces('', lines()))) {
    expect(piece).toHaveLength(40_000);
    break;
  }
  expect(left).toEqual(['lines']);
});
