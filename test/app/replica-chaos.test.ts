import { expect, test } from 'vitest';
import { replicaChaosRun } from '../../benchmarks/support/replica-chaos-run.js';
import { describeWithRedisServer } from '../support/redis.js';

const SECONDS = 60;

describeWithRedisServer('three replicas', () => {
  test(`a minute in which replicas and Redis fail: each request ends once, keys and sessions are linearizable, nothing acknowledged is lost`, async () => {
    const chaos = await replicaChaosRun(SECONDS);
    expect(chaos).toMatchObject({
      notOneEnd: [],
      carriedOutAgain: [],
      wrongKeys: [],
      wrongSessions: [],
      lostWrites: [],
      keyed: SECONDS * 50,
    });
    // Otherwise nothing was tested.
    expect(chaos.faults).toMatchObject({ pauses: 2, restarts: 1 });
    expect(chaos.faults.kills).toBeGreaterThan(0);
    expect(chaos.faults.cuts).toBeGreaterThan(1);
    expect(chaos.completed).toBeGreaterThan(chaos.keyed / 2);
    expect(chaos.sessionOperations).toBeGreaterThan(500);
    expect(chaos.publishes).toBeGreaterThan(50);
    expect(chaos.tickets).toBeGreaterThan(5);
  }, 600_000);
});
