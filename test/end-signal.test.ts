import { expect, test } from 'vitest';
import { Ending } from '../src/end-signal.js';

test('an end is told once to those who still listen, with its reason, and to nobody who comes later', () => {
  const ending = new Ending();
  const told: string[] = [];
  const gone = () => told.push('gone');
  ending.addEventListener('abort', () => {
    told.push(`first, ${ending.reason}`);
    ending.removeEventListener('abort', second);
  });
  const second = () => told.push('second');
  ending.addEventListener('abort', gone);
  ending.addEventListener('abort', second);
  ending.removeEventListener('abort', gone);
  expect(ending.aborted).toBe(false);

  ending.abort('cancelled');
  ending.abort('late');
  ending.addEventListener('abort', gone);
  expect(told).toEqual(['first, cancelled']);
  expect(ending).toMatchObject({ aborted: true, reason: 'cancelled' });
});
