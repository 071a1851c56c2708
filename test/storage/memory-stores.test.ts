import { expect, test } from 'vitest';
import { MemoryVectorStore } from '../../src/storage/memory-stores.js';

test('vectors in memory are bounded: the one that was asked for longest ago goes first', async () => {
  const store = new MemoryVectorStore(2);
  const vector = new Float32Array([1]);
  await store.putMany('m', new Map([['a', vector]]));
  await store.putMany('n', new Map([['b', vector]]));
  await store.getMany('m', ['a']);
  await store.putMany('m', new Map([['c', vector]]));
  expect([...(await store.getMany('m', ['a', 'b', 'c'])).keys()]).toEqual(['a', 'c']);
  expect(await store.getMany('n', ['b'])).toEqual(new Map());
});
