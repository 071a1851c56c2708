import { describe, expect, it } from 'vitest';
import { LruMap } from '../src/lru-map.js';

const CAPACITY = 10;

function filled(count: number): LruMap<number, string> {
  const map = new LruMap<number, string>(CAPACITY);
  for (let key = 0; key < count; key += 1) map.set(key, `value ${key}`);
  return map;
}

/** The newest first: whoever is asked for becomes young, and may put others out. */
const keysIn = (map: LruMap<number, string>, upTo: number) =>
  Array.from({ length: upTo }, (_, index) => upTo - 1 - index).filter((key) => map.get(key) !== undefined);

describe('LruMap', () => {
  it('gives what was set last under a key', () => {
    const map = filled(3);
    map.set(1, 'another');
    expect([map.get(0), map.get(1), map.get(3)]).toEqual(['value 0', 'another', undefined]);
  });

  it.each([11, 12, 15, 19, 1_000])('holds the newest half and no more than its capacity of %i', (count) => {
    const kept = keysIn(filled(count), count);
    expect(kept.length).toBeLessThanOrEqual(CAPACITY);
    expect(kept.slice(0, 5)).toEqual([1, 2, 3, 4, 5].map((back) => count - back));
  });

  it('keeps what is asked for again and again, however much is set', () => {
    const map = filled(1);
    for (let key = 1; key < 1_000; key += 1) {
      map.set(key, 'passes by');
      expect(map.get(0)).toBe('value 0');
    }
  });

  it('gives the new value of a key that was set long ago', () => {
    const map = filled(7);
    map.set(0, 'new');
    for (let key = 10; key < 13; key += 1) map.set(key, 'passes by');
    expect(map.get(0)).toBe('new');
  });
});
