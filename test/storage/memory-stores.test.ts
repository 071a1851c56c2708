import { expect, test } from 'vitest';
import { MemoryRecordStore, RECORDS_IN_MEMORY } from '../../src/storage/memory/record-store.js';
import { MemoryTicketStore, RESOLVED_IN_MEMORY } from '../../src/storage/memory/ticket-store.js';
import { MemoryVectorStore } from '../../src/storage/memory/vector-store.js';
import { storedTicket } from '../handoff/stored-ticket.js';
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

test('resolved tickets in memory are bounded: the one that was resolved first goes first', async () => {
  const store = new MemoryTicketStore();
  const resolution = { by: 'Li', at: '2026-01-02T03:04:05.678Z', rightCapability: null, note: null };
  for (let index = 0; index <= RESOLVED_IN_MEMORY; index++) {
    const ticket = storedTicket(`tk_${index}`);
    await store.create('t', ticket, 10);
    const standing = { state: 'resolved', atMs: index, resolution } as const;
    await store.save('t', { ...ticket, standing, revision: 2 });
  }
  expect(await store.find('t', 'tk_0')).toBeUndefined();
  expect(await store.find('t', 'tk_1')).toMatchObject({ revision: 2 });
});
