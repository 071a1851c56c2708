import { expect, test } from 'vitest';
import { type FieldError, sentenceOf } from '../src/errors.js';

const fault = (pointer: string): FieldError => ({ pointer, expected: 'a number', received: 'null' });

test('faults are one sentence: where, what was expected, what was received', () => {
  expect(sentenceOf([fault('/a'), fault('')], 'the body')).toBe(
    '/a: expected a number, received null; the body: expected a number, received null',
  );
  expect(sentenceOf([fault('')])).toBe('expected a number, received null');
});

test('of many faults it names three, and counts the rest', () => {
  const sentence = sentenceOf(['/a', '/b', '/c', '/d', '/e'].map(fault));
  expect(sentence).toMatch(/^\/a: [^;]*; \/b: [^;]*; \/c: [^;]*; and 2 more$/);
});
