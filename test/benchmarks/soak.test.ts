import { expect, test } from 'vitest';
import { withFleetService } from '../../benchmarks/support/fleet-service.js';
import { freshTexts } from '../../benchmarks/support/fresh-texts.js';
import { SOAK_AGENTS, SoakRun } from '../../benchmarks/support/soak-run.js';

const SECONDS = 60;
/** Of what it was after a fifth of the time. */
const MOST_MEMORY = 1.1;

test('flapping with hundreds of nodes: a minute in which 200 instances join, leave, move and flap under 200 routes a second names nobody who had left, fails no route, keeps its memory and ends in order', async () => {
  // That the service ends by itself, with exit code 0, is asked for as it is stopped.
  const report = await withFleetService(SOAK_AGENTS, (service, fleet) =>
    new SoakRun(service, fleet, freshTexts(50)).run(SECONDS),
  );
  expect(report).toMatchObject({ stale: [], failed: [] });
  expect(report.routes).toBeGreaterThan(100 * SECONDS);
  expect(report.named).toBeGreaterThan(0.9 * report.routes);
  expect(report.changes).toBeGreaterThan(200 + SECONDS);
  expect(report.memoryRatio).toBeLessThanOrEqual(MOST_MEMORY);
}, 240_000);
