import { expect, test } from 'vitest';
import { isPlainlyLinear } from '../../src/manifest/plain-pattern.js';

test.each([
  '^E[0-9]{4}$',
  '^[a-z0-9._-]{1,63}$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[+-]?\\d+$',
  '^[\\u4e00-\\u9fa5]{2,10}$',
  '^\\p{L}+$',
  '^ORD\\.[A-Z]*',
  '^[\\]]+$',
  '^$',
])('%s is', (pattern) => {
  expect(isPlainlyLinear(pattern)).toBe(true);
});

test.each([
  '[a-z]+', // not anchored: tried again from every place
  '^(a|a)*$',
  '^a|b$',
  '^a*b*$',
  '^a{0,500}a{0,500}$',
  '^(.*)\\1$',
  '^a?a?a?a?a?$',
  '^a+?$',
  '^(?=a)a$',
  '^a**$',
  '^[a$',
])('%s is not', (pattern) => {
  expect(isPlainlyLinear(pattern)).toBe(false);
});
