import { expect, test } from 'vitest';
import { nodeLossRun } from '../../benchmarks/support/node-loss-run.js';

const REQUESTS = 500;

test(`kill -9 in the middle of ${REQUESTS} asynchronous requests: after the restart each is finished, or failed as NODE_LOST where repeating is not allowed; none is lost or silently repeated`, async () => {
  const loss = await nodeLossRun(REQUESTS);
  expect(loss).toMatchObject({ requests: REQUESTS, wronglyEnded: [], repeated: [] });
  expect(loss.completed + loss.nodeLost).toBe(REQUESTS);
  // Otherwise nothing was tested.
  expect(loss.underWay).toBeGreaterThan(10);
  expect(loss.nodeLost).toBeGreaterThan(0);
}, 480_000);
