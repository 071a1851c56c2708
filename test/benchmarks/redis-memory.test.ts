import { expect, test } from 'vitest';
import { KEPT_KINDS } from '../../benchmarks/support/kept-kinds.js';
import { keptMemory } from '../../benchmarks/support/kept-memory.js';
import { describeWithRedisServer } from '../support/redis.js';

describeWithRedisServer('the memory of one in a Redis', () => {
  test.each(KEPT_KINDS.map((kind) => [kind.name, kind] as const))('is measured: %s', async (_, kind) => {
    const { memory, json } = await keptMemory({ ...kind, count: Math.min(kind.count, 200) });
    // Its text, or the bytes of its numbers, and no more than a few orders and keys beside it.
    expect(memory).toBeGreaterThan(0.2 * json);
    expect(memory).toBeLessThan(2 * json + 1_000);
  });
});
