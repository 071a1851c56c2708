import { expect, test } from 'vitest';
import { columnsOf } from '../../src/cli/text-width.js';

test.each([
  ['', 0],
  ['weekly-summary', 14],
  ['周报', 4],
  ['生成周报 x', 10],
  ['ｶﾅ', 2],
  ['Ａ１', 4],
  ['한국어', 6],
  ['é', 1],
  ['e\u0301', 1],
  ['👍', 2],
  ['👩‍💻', 2],
  ['❤️', 2],
  ['𠀋', 2],
  ['zero\u200bwidth', 9],
  ['Straße', 6],
])('%j takes %i columns', (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});
