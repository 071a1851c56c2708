import { expect, test } from 'vitest';
import { CAPACITY, Overload } from '../../benchmarks/support/overload-run.js';

const SECONDS = 3;
/** What a test may ask of a busy machine; the benchmark asks for 100 ms. */
const SOON_MS = 2_000;

test('priority ignored once the queue is full: beyond capacity the extra is refused, what was accepted keeps its deadline, and P0 is served while the queue of P2 is full', async () => {
  await Overload.with(async (overload) => {
    const { refusedMs, acceptedMs, late } = await overload.beyondCapacity(5, SECONDS);
    expect(late).toEqual([]);
    expect(acceptedMs.length).toBeGreaterThan(0.5 * CAPACITY * SECONDS);
    expect(refusedMs.length).toBeGreaterThan(CAPACITY * SECONDS);
    expect(refusedMs.at(-1)).toBeLessThan(SOON_MS);

    const { floodedMs, failed, refused } = await overload.flooded(1, SECONDS);
    expect(failed).toEqual([]);
    expect(floodedMs.length).toBeGreaterThan(0);
    expect(refused).toBeGreaterThan(0);
  });
}, 180_000);
