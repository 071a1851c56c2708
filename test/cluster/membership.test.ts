import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { BEAT_EVERY_MS, BEAT_TTL_MS, Membership } from '../../src/cluster/membership.js';
import { HandClock } from '../support/hand-clock.js';
import { LocalBus } from '../support/local-bus.js';
import { LocalReplicas } from '../support/local-replicas.js';

class Fleet {
  readonly clock = new HandClock();
  readonly bus = new LocalBus();
  readonly store = new LocalReplicas(this.clock);
  readonly reports: string[] = [];

  /** It has joined, and the others know. */
  async join(replicaId: string): Promise<Membership> {
    const membership = new Membership({
      store: this.store,
      bus: this.bus.of(replicaId),
      team: 't',
      replicaId,
      clock: this.clock,
      report: (message) => this.reports.push(message),
    });
    await membership.start();
    this.bus.deliver();
    return membership;
  }

  async joinAll(...replicaIds: readonly string[]): Promise<Membership[]> {
    const joined: Membership[] = [];
    for (const replicaId of replicaIds) joined.push(await this.join(replicaId));
    return joined;
  }

  async pass(durationMs: number): Promise<void> {
    for (let passed = 0; passed < durationMs; passed += BEAT_EVERY_MS / 2) {
      this.clock.pass(BEAT_EVERY_MS / 2);
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
  }
}

/** It beats no more, and nobody hears of it. */
async function kill(membership: Membership, { store }: Fleet): Promise<void> {
  const { isAway } = store;
  store.isAway = true;
  await membership.close();
  store.isAway = isAway;
}

const ids = ({ living }: Membership) => living.map(({ replicaId }) => replicaId);
const KEYS = Array.from({ length: 3_000 }, (_, index) => `agent-${index % 70}/instance-${index}`);
const ownedBy = (membership: Membership) => KEYS.filter((key) => membership.owns(key));

describe('who lives', () => {
  test('is known to all as soon as one joins or leaves', async () => {
    const fleet = new Fleet();
    const [a, b, c] = (await fleet.joinAll('c', 'a', 'b')) as [Membership, Membership, Membership];
    for (const each of [a, b, c]) expect(ids(each)).toEqual(['a', 'b', 'c']);
    await c.close();
    fleet.bus.deliver();
    expect([ids(a), ids(b)]).toEqual([
      ['a', 'c'],
      ['a', 'c'],
    ]);
    expect(a.isLiving('b')).toBe(false);
  });

  test('is known by the beats where no message comes', async () => {
    const fleet = new Fleet();
    const a = await fleet.join('a');
    const b = await fleet.join('b');
    fleet.bus.lose();
    await fleet.pass(BEAT_EVERY_MS);
    expect([ids(a), ids(b)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  test('does not count one that was killed, after its time and a beat', async () => {
    const fleet = new Fleet();
    const [a, b] = (await fleet.joinAll('a', 'b')) as [Membership, Membership];
    await kill(b, fleet);
    fleet.bus.lose();
    await fleet.pass(BEAT_TTL_MS - 1_000);
    expect(ids(a)).toEqual(['a', 'b']);
    await fleet.pass(1_000 + BEAT_EVERY_MS);
    expect(ids(a)).toEqual(['a']);
  });

  test('is who lived last while the store is away, and until all have had time to beat again', async () => {
    const fleet = new Fleet();
    const [a, b] = (await fleet.joinAll('a', 'b')) as [Membership, Membership];
    let changes = 0;
    a.onChange(() => {
      changes += 1;
    });
    fleet.store.isAway = true;
    await fleet.pass(60_000);
    expect([a.isAnswered, ids(a), ids(b)]).toEqual([false, ['a', 'b'], ['a', 'b']]);
    fleet.store.isAway = false;
    fleet.store.empty();
    await fleet.pass(60_000);
    expect([a.isAnswered, ids(a), ids(b), changes]).toEqual([true, ['a', 'b'], ['a', 'b'], 0]);
  });

  test('does not count one that was killed while the store was away', async () => {
    const fleet = new Fleet();
    const [a, b] = (await fleet.joinAll('a', 'b')) as [Membership, Membership];
    fleet.store.isAway = true;
    await fleet.pass(20_000);
    await kill(b, fleet);
    fleet.bus.lose();
    fleet.store.isAway = false;
    await fleet.pass(BEAT_TTL_MS + 2 * BEAT_EVERY_MS);
    expect(ids(a)).toEqual(['a']);
    expect(fleet.reports).toEqual([expect.stringContaining('not told that this one goes')]);
  });

  test('does not follow messages that say nothing', async () => {
    const fleet = new Fleet();
    const a = await fleet.join('a');
    const bus = fleet.bus.of('b');
    for (const message of [
      null,
      'left',
      { left: 1 },
      { joined: {} },
      { joined: { replicaId: 'b' } },
      { left: 'a' },
    ])
      bus.send('t', 'replicas', message);
    fleet.bus.deliver();
    expect(ids(a)).toEqual(['a']);
  });
});

describe('the shares', () => {
  test("of work: each key is one replica's, about as many each, and only those of one that goes move", async () => {
    const fleet = new Fleet();
    const replicas = await fleet.joinAll('host/1-aaaaaa', 'host/2-bbbbbb', 'host/3-cccccc');
    const owned = replicas.map(ownedBy);
    expect(owned.flat().sort()).toEqual([...KEYS].sort());
    for (const each of owned) expect(each.length / KEYS.length).toBeCloseTo(1 / 3, 1);
    await replicas[2]?.close();
    fleet.bus.deliver();
    for (const place of [0, 1]) {
      const now = new Set(ownedBy(replicas[place] as Membership));
      expect(owned[place]?.every((key) => now.has(key))).toBe(true);
    }
  });

  test('are none before the start, and all for one that is alone', async () => {
    const fleet = new Fleet();
    const { clock, store } = fleet;
    const parts = { store, clock, bus: fleet.bus.of('a'), team: 't', replicaId: 'a', report: () => {} };
    const a = new Membership(parts);
    expect(ownedBy(a)).toEqual([]);
    await a.start();
    expect(ownedBy(a)).toEqual(KEYS);
    expect([a.shareOf(10, 'k'), a.rateOf(0.5, 'k'), a.rateOf(2.5, 'k')]).toEqual([10, 0.5, 2.5]);
  });

  test('of things come to all of them, but that each has one', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat(40), fc.string(), async (count, total, key) => {
        const fleet = new Fleet();
        const replicas = await fleet.joinAll(...Array.from({ length: count }, (_, index) => `r${index}`));
        const shares = replicas.map((each) => each.shareOf(total, key));
        expect(Math.min(...shares)).toBeGreaterThanOrEqual(1);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
        expect(shares.reduce((sum, each) => sum + each, 0)).toBe(Math.max(total, count));
        const rates = replicas.map((each) => each.rateOf(total / 4, key));
        expect(rates.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(total / 4 + 1e-9);
      }),
      { numRuns: 100 },
    );
  });

  test('of things are larger for another replica with another key', async () => {
    const fleet = new Fleet();
    const [a] = (await fleet.joinAll('a', 'b', 'c')) as [Membership, Membership, Membership];
    const larger = KEYS.filter((key) => a.shareOf(10, key) === 4).length;
    expect(larger / KEYS.length).toBeCloseTo(1 / 3, 1);
  });
});
