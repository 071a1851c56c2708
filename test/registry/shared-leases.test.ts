import { expect, test } from 'vitest';
import { NOBODY_ELSE } from '../../src/cluster/message-bus.js';
import { ALL_OURS } from '../../src/cluster/shares.js';
import { ReachError } from '../../src/errors.js';
import type { NotedLease } from '../../src/registry/lease-store.js';
import { SharedLeases } from '../../src/registry/shared-leases.js';
import { HandClock } from '../support/hand-clock.js';

const lease = (instanceId: string, leaseMs: number) => ({
  ...{ agentName: 'a', instanceId, leaseMs, incarnation: undefined, heartbeat: undefined },
});

test('what cannot be noted is noted once the store is back, as long as it holds by then', async () => {
  const clock = new HandClock();
  const noted: (readonly NotedLease[])[] = [];
  const reports: string[] = [];
  let isAway = true;
  const shared = new SharedLeases({
    leases: {
      async note(_team, leases) {
        if (isAway) throw new ReachError('STORE_UNAVAILABLE', 'Redis does not answer.');
        noted.push(leases);
      },
      left: async () => [],
    },
    ...{ bus: NOBODY_ELSE, shares: ALL_OURS, catchUp: async () => {}, team: 't', clock },
    report: (message) => void reports.push(message),
  });
  const pass = async (ms: number) => {
    clock.pass(ms);
    await new Promise(setImmediate);
  };
  shared.granted(lease('i', 15_000));
  shared.granted(lease('j', 15_000));
  await pass(200);
  await pass(500);
  shared.granted(lease('j', 20_000));
  await pass(200);
  isAway = false;
  await pass(500);
  await pass(500);
  expect(noted).toHaveLength(1);
  expect(noted.flat()).toHaveLength(2);
  const leftOf = (id: string) => noted.flat().find(({ instanceId }) => instanceId === id)?.leaseMs;
  const [i, j] = [leftOf('i'), leftOf('j')];
  expect(j).toBeGreaterThan(19_000);
  expect(i).toBeLessThan(15_000 - 700);
  expect(i).toBeGreaterThan(12_000);
  // Told once, however often it failed.
  expect(reports).toHaveLength(1);
  shared.close();
});
