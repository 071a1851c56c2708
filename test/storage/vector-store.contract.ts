import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { VectorStore } from '../../src/embedding/embedder.js';
import type { OpenedStore } from './catalogue-store.contract.js';

const hashOf = (index: number) => index.toString(16).padStart(64, '0');

/** What every VectorStore does, whatever it is kept in. */
export function vectorStoreContract(name: string, open: () => Promise<OpenedStore<VectorStore>>): void {
  describe(`${name} as a VectorStore`, () => {
    let opened: OpenedStore<VectorStore>;
    let store: VectorStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('knows nothing at first', async () => {
      expect(await store.getMany('m', [])).toEqual(new Map());
      expect(await store.getMany('m', [hashOf(1), hashOf(2)])).toEqual(new Map());
    });

    test('gives the same bits back, and only for what was stored', async () => {
      const vector = new Float32Array([0, -0, 0.1, -1e-42, 3.4e38, Math.fround(Math.PI)]);
      await store.putMany('m', new Map([[hashOf(1), vector]]));
      const found = await store.getMany('m', [hashOf(2), hashOf(1), hashOf(1)]);
      expect([...found.keys()]).toEqual([hashOf(1)]);
      const back = found.get(hashOf(1));
      expect(back).toBeInstanceOf(Float32Array);
      expect(new Uint32Array(back?.buffer ?? new ArrayBuffer(0))).toEqual(new Uint32Array(vector.buffer));
    });

    test('stores a vector that is a window on a larger buffer', async () => {
      const window = new Float32Array([1, 2, 3, 4, 5]).subarray(1, 3);
      await store.putMany('m', new Map([[hashOf(1), window]]));
      expect((await store.getMany('m', [hashOf(1)])).get(hashOf(1))).toEqual(new Float32Array([2, 3]));
    });

    test('keeps models apart', async () => {
      await store.putMany('m', new Map([[hashOf(1), new Float32Array([1])]]));
      await store.putMany('n', new Map([[hashOf(1), new Float32Array([2, 2])]]));
      expect((await store.getMany('m', [hashOf(1)])).get(hashOf(1))).toEqual(new Float32Array([1]));
      expect((await store.getMany('n', [hashOf(1)])).get(hashOf(1))).toEqual(new Float32Array([2, 2]));
      expect(await store.getMany('o', [hashOf(1)])).toEqual(new Map());
    });

    test('takes the later of two vectors of a text', async () => {
      await store.putMany('m', new Map([[hashOf(1), new Float32Array([1])]]));
      await store.putMany('m', new Map([[hashOf(1), new Float32Array([2])]]));
      expect((await store.getMany('m', [hashOf(1)])).get(hashOf(1))).toEqual(new Float32Array([2]));
    });

    test('is not changed by what happens to a vector later', async () => {
      const vector = new Float32Array([1]);
      await store.putMany('m', new Map([[hashOf(1), vector]]));
      vector[0] = 9;
      (await store.getMany('m', [hashOf(1)])).get(hashOf(1))?.fill(9);
      expect((await store.getMany('m', [hashOf(1)])).get(hashOf(1))).toEqual(new Float32Array([1]));
    });

    test('takes and gives thousands at once', async () => {
      const many = new Map(
        Array.from({ length: 3_000 }, (_, i) => [hashOf(i), new Float32Array([i, i / 7])] as const),
      );
      await store.putMany('m', many);
      const wanted = Array.from({ length: 3_500 }, (_, i) => hashOf(i));
      expect(await store.getMany('m', wanted)).toEqual(many);
    });
  });
}
