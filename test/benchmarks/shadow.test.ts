import { expect, test } from 'vitest';
import { shadowRun } from '../../benchmarks/support/shadow-run.js';

test('a service with weights in the shadow answers as many as one without, and the shadow answers or counts each of them', async () => {
  const routesInBlock = 40;
  const run = await shadowRun({
    capabilities: 50,
    blocks: 1,
    routesInBlock,
    routesPerSecond: 40,
    newShare: 0.3,
  });
  expect([run.alone.length, run.shadowed.length]).toEqual([routesInBlock, routesInBlock]);
  expect(run.answered + run.leftOut).toBe(routesInBlock);
  expect(run.answered).toBeGreaterThan(0);
}, 180_000);
