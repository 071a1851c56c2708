import { describe, expect, it } from 'vitest';
import { closedLoop } from '../../benchmarks/support/closed-loop.js';
import { dispatchWork, withCalledAgents, withReach } from '../../benchmarks/support/dispatch-run.js';
import { belowKnee, sweep } from '../../benchmarks/support/sweep-run.js';

const LEVELS = [8, 100];

describe('the dispatch benchmark, in short', () => {
  it('completes whatever is dispatched, however much is under way at once', async () => {
    await withCalledAgents(10, async (run) => {
      const { levels, calls, failures, memoryRatio } = await sweep(run, LEVELS);
      expect(failures).toEqual([]);
      expect(levels.map(({ inFlight }) => inFlight)).toEqual(LEVELS);
      // A call takes 50 ms at least, on either side.
      for (const { inFlight, rate, bareRate } of levels) {
        for (const side of [rate, bareRate]) expect(side).toBeLessThan(inFlight / 0.05);
      }
      expect(calls).toBe(2 * 40 * 8 + (2 + 4) * 40 * 100);
      expect(memoryRatio).toBeGreaterThan(0);
    });
  }, 240_000);

  it('says what was not completed, and why', async () => {
    const gone = ['http://127.0.0.1:9'];
    await withReach(gone, {}, async (reach) => {
      await expect(dispatchWork(reach, { work_ms: 0, way: 'plain' })).rejects.toThrow(/ended as failed/);
    });
  });
});

describe('a closed loop', () => {
  it('has always as many calls under way, and times each', async () => {
    let running = 0;
    let most = 0;
    const { rate, times } = await closedLoop(3, 9, async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
    });
    expect(most).toBe(3);
    expect(times).toHaveLength(9);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(9);
    expect(rate).toBeLessThan(400);
  });
});

describe('the knee', () => {
  it('is judged by how much is answered, up to a share of the most', () => {
    const level = (inFlight: number, rate: number) => ({
      inFlight,
      rate,
      bareRate: rate,
      p99: 1,
      bareP99: 1,
    });
    const levels = [level(64, 500), level(250, 2_000), level(500, 2_400), level(1_000, 2_500)];
    expect(belowKnee(levels, 0.8).map(({ inFlight }) => inFlight)).toEqual([64, 250]);
  });
});
