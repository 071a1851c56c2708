import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Membership } from '../../src/cluster/membership.js';
import { CallRate } from '../../src/dispatch/call-rate.js';
import type { LaneSizes } from '../../src/settings.js';
import { dispatched, setUp } from '../support/dispatching.js';
import { HandClock } from '../support/hand-clock.js';
import { LocalBus } from '../support/local-bus.js';
import { LocalReplicas } from '../support/local-replicas.js';
import { httpServer } from '../support/local-servers.js';
import { until } from '../support/until.js';

const TAKES_MS = 20;
const size = { slots: 10, queue: 1_000 };
const LANES: LaneSizes = { P0: size, P1: size, P2: size };
const PATIENT = { deadlines: { seekMs: 60_000, executeMs: 60_000 } } as const;

/** As many replicas that know each other. */
async function replicas(...ids: readonly string[]) {
  const clock = new HandClock();
  const bus = new LocalBus();
  const store = new LocalReplicas(clock);
  const joined: Membership[] = [];
  for (const replicaId of ids) {
    const parts = { store, bus: bus.of(replicaId), team: 't', replicaId, clock, report: () => {} };
    const membership = new Membership(parts);
    await membership.start();
    joined.push(membership);
  }
  bus.deliver();
  return { joined, bus };
}

/** An agent that counts what it is at. */
async function countingAgent() {
  const counted = { now: 0, most: 0 };
  const { url } = await httpServer(async (request, response) => {
    counted.now += 1;
    counted.most = Math.max(counted.most, counted.now);
    request.resume();
    await sleep(TAKES_MS);
    counted.now -= 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"result": 1}');
  });
  return { url, counted };
}

test('two dispatchers together never have more under way at an instance than it has slots', async () => {
  const { url, counted } = await countingAgent();
  const { joined, bus } = await replicas('a', 'b');
  const dispatchers = joined.map((shares) => setUp({ instances: [url], lanes: LANES, shares }).dispatcher);
  const send = (count: number, place: number) =>
    Array.from({ length: count }, () => {
      const dispatcher = dispatchers[place];
      if (dispatcher === undefined) throw new Error(`no dispatcher ${place}`);
      return dispatched(dispatcher, { intent: 'x', ...PATIENT });
    });
  const answers = await Promise.all([...send(150, 0), ...send(150, 1)]);
  expect(new Set(answers.map(({ state }) => state))).toEqual(new Set(['completed']));
  expect(counted.most).toBe(10);

  // Alone one has all of them, also for those that wait already.
  counted.most = 0;
  const waiting = send(100, 0);
  await until(() => counted.most >= 5);
  await sleep(TAKES_MS);
  expect(counted.most).toBe(5);
  await joined[1]?.close();
  bus.deliver();
  await Promise.all(waiting);
  expect(counted.most).toBe(10);
});

test('who waits is looked at again when this replica has a larger part, though nothing has ended', async () => {
  let asked = 0;
  const { url } = await httpServer((request) => {
    request.resume();
    asked += 1;
  });
  const { joined, bus } = await replicas('a', 'b');
  const [shares] = joined;
  const { dispatcher } = setUp({ instances: [url], lanes: LANES, ...(shares && { shares }) });
  const ending = new AbortController();
  const under = Array.from({ length: 10 }, () =>
    dispatched(dispatcher, { intent: 'x', ...PATIENT }, { signal: ending.signal }),
  );
  await until(() => asked === 5);
  await joined[1]?.close();
  bus.deliver();
  await until(() => asked === 10);
  ending.abort();
  await Promise.all(under);
});

test('a declared max_concurrency is one for all replicas', async () => {
  const { url, counted } = await countingAgent();
  const { joined } = await replicas('a', 'b', 'c');
  const manifest = { maxConcurrency: 3 };
  const lanes = ['P0', 'P1', 'P2'] as const;
  const answers = joined.flatMap((shares) => {
    const { dispatcher } = setUp({ instances: [url], manifest, lanes: LANES, shares });
    return lanes.flatMap((lane) =>
      Array.from({ length: 10 }, () => dispatched(dispatcher, { intent: 'x', lane, ...PATIENT })),
    );
  });
  await Promise.all(answers);
  expect(counted.most).toBe(3);
});

test.each([10, 7, 2, 0.5])('a max_qps of %d is one for all replicas', async (maxQps) => {
  const { joined } = await replicas('a', 'b', 'c');
  const begun: number[] = [];
  const rates = joined.map(() => new CallRate());
  for (let nowMs = 0; nowMs < 60_000; nowMs += 10) {
    for (const [place, shares] of joined.entries()) {
      const part = shares.rateOf(maxQps, 'reports');
      if ((rates[place]?.freeInMs(part, nowMs) ?? 1) > 0) continue;
      rates[place]?.begin(part, nowMs);
      begun.push(nowMs);
    }
  }
  expect(begun.length).toBeLessThanOrEqual(maxQps * 60 + joined.length);
  expect(begun.length).toBeGreaterThan(maxQps * 60 * 0.9);
});
