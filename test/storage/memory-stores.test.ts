import { expect, test } from 'vitest';
import { MemoryRecordStore, RECORDS_IN_MEMORY } from '../../src/storage/memory-record-store.js';
import { MemoryVectorStore } from '../../src/storage/memory-vector-store.js';
import { record } from '../record/records.js';

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

test('decisions in memory are bounded: the oldest go first', async () => {
  const store = new MemoryRecordStore();
  for (let index = 0; index < RECORDS_IN_MEMORY + 5; index++) await store.append('t', [record(index)]);
  expect(await store.find('t', record(4).routeId)).toBeUndefined();
  expect(await store.find('t', record(5).routeId)).toEqual(record(5));
});
