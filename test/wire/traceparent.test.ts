import { expect, test } from 'vitest';
import { readTraceparent } from '../../src/wire/traceparent.js';

const trace = '0af7651916cd43dd8448eb211c80319c';
const parent = 'b7ad6b7169203331';

test.each([`00-${trace}-${parent}-01`, `01-${trace}-${parent}-00-more`])('%s is passed on', (header) => {
  expect(readTraceparent(header)).toBe(header);
});

test.each([
  undefined,
  '',
  [`00-${trace}-${parent}-01`],
  `00-${trace}-${parent}-01-more`,
  `ff-${trace}-${parent}-01`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${parent}-01`,
  `00-${trace}-${parent}-01\n`,
  `01-${trace}-${parent}-01-\u0007`,
  `01-${trace}-${parent}-01-é`,
])('%j is ignored', (header) => {
  expect(readTraceparent(header)).toBeUndefined();
});
