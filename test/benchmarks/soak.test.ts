import { expect, test } from 'vitest';
import { holds } from '../../benchmarks/support/figure.js';
import { soak, soakFigures } from '../../benchmarks/support/soak-figures.js';

const SECONDS = 60;

test('flapping with hundreds of nodes: a minute in which 200 instances join, leave, move and flap under 200 routes a second names nobody who had left, fails no route, keeps its memory and ends in order', async () => {
  // That the service ends by itself, with exit code 0, is asked for as it is stopped.
  const report = await soak(SECONDS);
  expect(report).toMatchObject({ stale: [], failed: [] });
  expect(report.routes).toBeGreaterThan(100 * SECONDS);
  expect(report.named).toBeGreaterThan(0.9 * report.routes);
  expect(report.changes).toBeGreaterThan(200 + SECONDS);
  expect(soakFigures(report).filter((figure) => !holds(figure))).toEqual([]);
}, 240_000);
