import { expect, test } from 'vitest';
import { Lifecycle } from '../src/lifecycle.js';

test('closes once, in reverse order, and tells of a part that fails without stopping at it', async () => {
  const closed: string[] = [];
  const failures: string[] = [];
  const lifecycle = new Lifecycle((part, error) => failures.push(`${part}: ${(error as Error).message}`));
  lifecycle.add('store', () => {
    closed.push('store');
  });
  lifecycle.add('model', async () => {
    throw new Error('stuck');
  });
  lifecycle.add('door', () => {
    closed.push('door');
  });
  expect(lifecycle.closing).toBe(false);
  const first = lifecycle.close();
  expect(lifecycle.closing).toBe(true);
  expect(lifecycle.close()).toBe(first);
  await first;
  expect(closed).toEqual(['door', 'store']);
  expect(failures).toEqual(['model: stuck']);
});
