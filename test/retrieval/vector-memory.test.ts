import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import loadWabt from 'wabt';
import { singleVectors } from '../../benchmarks/support/clustered-vectors.js';
import { DOT_WASM } from '../../src/retrieval/dot-wasm.js';
import { dot } from '../../src/retrieval/vector-math.js';
import { VectorMemory } from '../../src/retrieval/vector-memory.js';

const SOURCE = fileURLToPath(new URL('../../src/retrieval/dot.wat', import.meta.url));

test('the kernel in use is the one whose source lies beside it', async () => {
  const wabt = await loadWabt();
  const { buffer } = wabt.parseWat('dot.wat', readFileSync(SOURCE, 'utf8'), { simd: true }).toBinary({});
  expect(DOT_WASM).toBe(Buffer.from(buffer).toString('base64'));
});

test.each([1, 4, 15, 16, 17, 384, 1000])('vectors of %i numbers are compared to the end', (dim) => {
  const memory = new VectorMemory(dim);
  const { vectors } = singleVectors(60, 0, { dim });
  const rows = vectors.map((vector) => memory.add(vector));
  const [query = new Float32Array()] = vectors.slice(7);
  memory.aim(query);
  for (const [i, vector] of vectors.entries()) {
    expect(memory.similarity(rows[i] ?? 0)).toBeCloseTo(dot(query, vector), 5);
    expect(memory.between(rows[0] ?? 0, rows[i] ?? 0)).toBeCloseTo(dot(vectors[0] ?? query, vector), 5);
  }
});

test.each([1, 384])(
  'comparing %i numbers with all rows gives the very numbers of comparing one by one',
  (dim) => {
    const memory = new VectorMemory(dim);
    const { vectors, queries } = singleVectors(2_500, 1, { dim });
    const rows = vectors.map((vector) => memory.add(vector));
    memory.aim(queries[0] ?? new Float32Array(dim));
    const all: number[] = [];
    for (const { first, cosines } of memory.similarities()) {
      for (const [i, cosine] of cosines.entries()) all[first + i] = cosine;
    }
    expect(rows.map((row) => all[row])).toEqual(rows.map((row) => memory.similarity(row)));
  },
);

test('rows keep their vectors while the memory grows, and freed ones are taken again', () => {
  const memory = new VectorMemory(64);
  const unit = (axis: number) => Float32Array.from({ length: 64 }, (_, i) => (i === axis ? 1 : 0));
  const first = memory.add(unit(0));
  memory.aim(unit(0));
  const others = Array.from({ length: 5_000 }, () => memory.add(unit(1)));
  expect(memory.similarity(first)).toBe(1);
  expect(memory.vector(first)).toEqual(unit(0));
  for (const row of others) memory.free(row);
  expect(others).toContain(memory.add(unit(0)));
  expect(memory.similarity(first)).toBe(1);
});
