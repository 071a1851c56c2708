import { describe, expect, it } from 'vitest';
import { clusteredVectors, singleVectors } from '../../benchmarks/support/clustered-vectors.js';
import {
  fill,
  newExact,
  newIndex,
  recallAt5,
  searchTimes,
  untilBuilt,
} from '../../benchmarks/support/index-run.js';
import { dot } from '../../src/retrieval/vector-math.js';

describe('the scale benchmark, in short', () => {
  it('finds in a graph what the exact scan finds', async () => {
    const { vectors, queries } = singleVectors(3_000, 50);
    const [index, exact] = [newIndex(384, 2_000), newExact(384)];
    for (const part of [index, exact]) fill(part, vectors);
    await untilBuilt(index);
    expect(index.status().segmentVectors).toEqual([3_000]);
    expect(recallAt5(index, exact, queries)).toBeGreaterThanOrEqual(0.99);
    expect(searchTimes(index, queries)).toHaveLength(50);
    await index.close();
  });
});

describe('clustered vectors', () => {
  it('are the same for a seed, others for another, and of length 1', () => {
    const first = clusteredVectors(100, 5, { dim: 32 });
    expect(clusteredVectors(100, 5, { dim: 32 })).toEqual(first);
    expect(clusteredVectors(100, 5, { dim: 32, seed: 2 })).not.toEqual(first);
    for (const vector of first.capabilities.flat()) expect(dot(vector, vector)).toBeCloseTo(1, 5);
  });

  it('lie near those of their cluster and far from the others', () => {
    // 100 capabilities are five clusters, dealt out in turn.
    const { capabilities } = clusteredVectors(100, 0, { dim: 64 });
    const [first, ...others] = capabilities.map(([vector]) => vector);
    const cosines = others.map((vector) => dot(vector, first ?? vector));
    const same = cosines.filter((_, i) => (i + 1) % 5 === 0);
    const other = cosines.filter((_, i) => (i + 1) % 5 !== 0);
    expect(Math.min(...same)).toBeGreaterThan(Math.max(...other));
  });
});
