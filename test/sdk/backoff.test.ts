import { expect, test } from 'vitest';
import { backoffMs } from '../../sdk/src/backoff.js';

test('tries again within a bound that doubles from 0.5 to 15 s, anywhere below it', () => {
  const bounds = [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000];
  for (const [index, bound] of bounds.entries()) {
    const waits = Array.from({ length: 500 }, () => backoffMs(index + 1));
    expect(Math.max(...waits)).toBeLessThan(bound);
    expect(Math.max(...waits)).toBeGreaterThan(0.9 * bound);
    expect(Math.min(...waits)).toBeLessThan(0.1 * bound);
  }
});
