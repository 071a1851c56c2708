import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { ProbeWindow } from '../../src/health/probe-window.js';
import { type ReachabilityParts, reachabilityFrom } from '../../src/health/reachability.js';

const BEST: ReachabilityParts = {
  probeSuccess: 1,
  pending: 0,
  maxConcurrency: 10,
  rttMs: 0,
  errorRate: 0,
};

describe('reachability', () => {
  test.each<[string, Partial<ReachabilityParts>, number]>([
    ['all is well', {}, 1],
    ['no probe succeeded', { probeSuccess: 0 }, 0.6],
    ['it is full', { pending: 10 }, 0.7],
    ['it is half full', { pending: 5 }, 0.85],
    ['it is more than full', { pending: 50 }, 0.7],
    ['much is pending and no maximum is declared', { pending: 50, maxConcurrency: undefined }, 1],
    ['a probe takes half its time', { rttMs: 1_000 }, 0.9],
    ['a probe takes longer than its time', { rttMs: 9_000 }, 0.8],
    ['every call fails', { errorRate: 1 }, 0.9],
    ['nothing is well', { probeSuccess: 0, pending: 10, rttMs: 2_000, errorRate: 1 }, 0],
  ])('%s', (_, parts, expected) => {
    expect(reachabilityFrom({ ...BEST, ...parts })).toBeCloseTo(expected, 12);
  });

  it('is exactly 1 at best', () => {
    expect(reachabilityFrom(BEST)).toBe(1);
  });
});

describe('the success of the last probes', () => {
  const successAfter = (...results: boolean[]) => {
    const window = new ProbeWindow();
    for (const result of results) window.add(result);
    return window.success;
  };
  const times = (count: number, result: boolean) => new Array<boolean>(count).fill(result);

  it('is 1 before the first, and what the first came to after it', () => {
    expect([successAfter(), successAfter(true), successAfter(false)]).toEqual([1, 1, 0]);
  });

  it('weighs the newest most', () => {
    expect(successAfter(false, true)).toBeCloseTo(20 / 39);
    expect(successAfter(true, false)).toBeCloseTo(19 / 39);
    expect(successAfter(...times(19, true), false)).toBeCloseTo(190 / 210);
    expect(successAfter(false, ...times(19, true))).toBeCloseTo(209 / 210);
  });

  it('forgets what is older than twenty probes', () => {
    expect(successAfter(...times(100, false), ...times(20, true))).toBe(1);
    expect(successAfter(...times(100, true), ...times(20, false))).toBe(0);
  });

  it('is a mean of the last twenty, whatever came', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 60 }), (results) => {
        const recent = results.slice(-20).reverse();
        const weights = recent.map((_, age) => 20 - age);
        const good = weights.filter((_, age) => recent[age]).reduce((sum, weight) => sum + weight, 0);
        const all = weights.reduce((sum, weight) => sum + weight, 0);
        expect(successAfter(...results)).toBeCloseTo(good / all, 12);
      }),
    );
  });
});
