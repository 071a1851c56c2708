import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Shares } from '../../src/cluster/shares.js';
import { HealthExchange } from '../../src/health/health-exchange.js';
import { InstanceTable } from '../../src/health/instance-table.js';
import type { CallOutcome, InstanceView } from '../../src/health/instance-view.js';
import type { ProbeFollower, ProbeResult } from '../../src/health/probe.js';
import type { Instance } from '../../src/registry/instance.js';
import { HandClock } from '../support/hand-clock.js';
import { LocalBus } from '../support/local-bus.js';
import { TestCatalogue } from '../support/test-catalogue.js';
import { PROBE_OK, PROBE_REFUSED, registered, reportOf } from '../support/watched-table.js';

/** Work that a test shares out: `owner` of an instance by its key. */
class HandShares {
  readonly #listeners = new Set<() => void>();
  living: readonly string[];
  ownerOf: (key: string) => string;

  constructor(living: readonly string[]) {
    this.living = living;
    this.ownerOf = () => living[0] ?? '';
  }

  of(replicaId: string): Shares {
    return {
      owns: (key) => this.ownerOf(key) === replicaId,
      shareOf: (total) => total,
      rateOf: (total) => total,
      onChange: (listener) => {
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
    };
  }

  change(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** A table on one replica, with what it is told to probe. */
class Member implements ProbeFollower {
  readonly table: InstanceTable;
  readonly exchange: HealthExchange;
  readonly targets = new Set<string>();
  readonly urgent: string[] = [];

  constructor(fleet: Fleet, replicaId: string) {
    const { clock, bus, shares } = fleet;
    this.table = new InstanceTable(clock);
    fleet.catalogue.follow(this.table);
    this.table.followProbes(this, shares.of(replicaId));
    this.exchange = new HealthExchange({
      instances: this.table,
      bus: bus.of(replicaId),
      shares: shares.of(replicaId),
      isLiving: (other) => shares.living.includes(other),
      team: 't',
      clock,
    });
    onTestFinished(() => this.exchange.close());
  }

  probe({ instanceId }: { readonly instanceId: string }): void {
    this.targets.add(instanceId);
  }

  probeNow(_: string, instanceId: string): void {
    this.urgent.push(instanceId);
  }

  forget(_: string, instanceId: string): void {
    this.targets.delete(instanceId);
  }

  view(instanceId: string): InstanceView {
    const view = this.table.instancesOf('reports').find((each) => each.instanceId === instanceId);
    if (view === undefined) throw new Error(`${instanceId} is not there`);
    return view;
  }

  call(instanceId: string, outcome: CallOutcome['outcome'], times = 1): void {
    for (let count = 0; count < times; count++)
      this.table.begin('reports', instanceId, 'weekly')({ outcome, elapsedMs: 1 });
  }

  probed(instanceId: string, result: ProbeResult, times = 1): void {
    for (let count = 0; count < times; count++) this.table.probed('reports', instanceId, result);
  }
}

class Fleet {
  readonly clock = new HandClock();
  readonly bus = new LocalBus();
  readonly catalogue = new TestCatalogue();
  readonly shares: HandShares;
  readonly members: Member[] = [];

  constructor(...replicaIds: readonly string[]) {
    this.shares = new HandShares(replicaIds);
  }

  /** Knows the instances, and asks the others. */
  join(replicaId: string, ...instances: readonly Instance[]): Member {
    const member = new Member(this, replicaId);
    this.members.push(member);
    member.table.applyInstances(
      instances.map((instance) => ({ kind: 'joined', instance, startsDown: false })),
    );
    member.exchange.start();
    this.bus.deliver();
    return member;
  }

  async pass(durationMs: number): Promise<void> {
    this.clock.pass(durationMs);
    await nextTurn();
    this.bus.deliver();
  }
}

/** Three replicas, of which the first probes all. */
function fleetOf(...instances: readonly Instance[]) {
  const fleet = new Fleet('A', 'B', 'C');
  const [a, b, c] = ['A', 'B', 'C'].map((id) => fleet.join(id, ...instances)) as [Member, Member, Member];
  return { fleet, a, b, c, all: [a, b, c] };
}

/** What is to be the same on every replica. Error figures are each one's own, and so is who looks slow by them. */
function shown(member: Member) {
  const { state, reason, suspect, blocked } = member.view('a');
  const inService = state === 'up' || state === 'degraded';
  const [record] = member.table.records();
  if (record === undefined) throw new Error('nothing is known');
  return {
    state: inService ? 'in service' : state,
    reason: inService ? '' : reason,
    suspect,
    blocked: [...blocked],
    findings: member.table.findingsOf(record),
  };
}

describe('probes', () => {
  test('of one replica take an instance out on all, and bring it back, with the same damping', async () => {
    const { fleet, a, all } = fleetOf(registered('a'));
    const states = () => all.map((each) => each.view('a').state);
    a.probed('a', PROBE_REFUSED, 2);
    fleet.bus.deliver();
    expect(states()).toEqual(['degraded', 'degraded', 'degraded']);
    a.probed('a', PROBE_REFUSED);
    fleet.bus.deliver();
    expect(states()).toEqual(['down', 'down', 'down']);
    a.probed('a', PROBE_OK, 6);
    fleet.bus.deliver();
    expect(states()).toEqual(['down', 'down', 'down']);
    await fleet.pass(61_000);
    a.probed('a', PROBE_OK);
    fleet.bus.deliver();
    for (const state of states()) expect(['up', 'degraded']).toContain(state);
    expect(new Set(all.map((each) => each.view('a').reachability)).size).toBe(1);
  });

  test('that were missed leave nothing behind: the next one tells all', () => {
    const { fleet, a, b } = fleetOf(registered('a'));
    a.probed('a', PROBE_REFUSED, 2);
    fleet.bus.lose();
    a.probed('a', PROBE_REFUSED);
    fleet.bus.deliver();
    expect(b.view('a')).toMatchObject({ state: 'down', reason: a.view('a').reason });
  });

  test('after a gap are told by who probes, and one that joins is told the same', async () => {
    const { fleet, a, b } = fleetOf(registered('a'), registered('b'));
    a.probed('a', PROBE_REFUSED, 3);
    b.call('b', 'failed', 10);
    fleet.bus.lose();
    fleet.bus.deliver();
    await fleet.pass(1_000);
    await fleet.pass(100);
    expect(b.view('a')).toMatchObject({ state: 'down', reachability: a.view('a').reachability });
    const joiner = fleet.join('D', registered('a'), registered('b'));
    expect(joiner.view('a').state).toBe('up');
    await fleet.pass(1_000);
    await fleet.pass(100);
    expect(joiner.view('a').state).toBe('down');
    expect(fleet.clock.delays.length).toBeLessThan(20);
  });

  test('of an instance at another address are passed over', () => {
    const { fleet, a, b } = fleetOf(registered('a'));
    const moved = registered('a', { address: 'http://127.0.0.1:1', addrVersion: 2 });
    a.probed('a', PROBE_REFUSED, 3);
    b.table.applyInstances([{ kind: 'changed', instance: moved, restarted: true }]);
    fleet.bus.deliver();
    expect([a.view('a').state, b.view('a').state]).toEqual(['down', 'up']);
  });

  test('fence an instance on all that hear its heartbeats', () => {
    const { fleet, a, b } = fleetOf(registered('a'));
    a.probed('a', PROBE_REFUSED);
    for (const each of [a, b]) each.table.heard('reports', 'a', reportOf('up'));
    a.probed('a', PROBE_REFUSED, 2);
    fleet.bus.deliver();
    expect([a.view('a').state, b.view('a').state]).toEqual(['fenced', 'fenced']);
    expect(b.table.heard('reports', 'a', reportOf('up')).commands).toEqual(['pause']);
  });

  test('move with the work: who takes an instance over knows what was seen of it', () => {
    const { fleet, a, b } = fleetOf(registered('a'), registered('b'));
    expect([[...a.targets], [...b.targets]]).toEqual([['a', 'b'], []]);
    a.probed('b', PROBE_REFUSED, 2);
    fleet.bus.deliver();
    fleet.shares.ownerOf = (key) => (key.endsWith('/b') ? 'B' : 'A');
    fleet.shares.change();
    expect([[...a.targets], [...b.targets]]).toEqual([['a'], ['b']]);
    b.probed('b', PROBE_REFUSED);
    fleet.bus.deliver();
    expect([a.view('b').state, b.view('b').state]).toEqual(['down', 'down']);
    expect([...a.targets, ...b.targets]).toEqual(['a', 'b']);
  });
});

describe('calls', () => {
  test('that find no connection make an instance suspect for all, and its prober looks at once', () => {
    const { fleet, a, b, all } = fleetOf(registered('a'));
    b.call('a', 'unreachable', 3);
    fleet.bus.deliver();
    expect(all.map((each) => each.view('a').suspect)).toEqual([true, true, true]);
    expect([a.urgent, b.urgent]).toEqual([['a'], []]);
    a.probed('a', PROBE_OK);
    fleet.bus.deliver();
    expect(all.map((each) => each.view('a').suspect)).toEqual([false, false, false]);
  });

  test('that are answered take the doubt away for all', () => {
    const { fleet, a, b, c, all } = fleetOf(registered('a'));
    b.call('a', 'unreachable');
    fleet.bus.deliver();
    c.call('a', 'completed');
    fleet.bus.deliver();
    expect(all.map((each) => each.view('a').suspect)).toEqual([false, false, false]);
    a.probed('a', PROBE_REFUSED);
    fleet.bus.deliver();
    c.call('a', 'completed');
    fleet.bus.deliver();
    a.probed('a', PROBE_REFUSED, 2);
    fleet.bus.deliver();
    expect(all.map((each) => each.view('a').state)).toEqual(['fenced', 'fenced', 'fenced']);
  });

  test('that open a breaker open it for all, as long; a trial on any of them decides for all', async () => {
    const { fleet, a, b, c, all } = fleetOf(registered('a'));
    const blocked = () => all.map((each) => each.view('a').blocked.has('weekly'));
    b.call('a', 'failed', 10);
    fleet.bus.deliver();
    expect(blocked()).toEqual([true, true, true]);
    await fleet.pass(9_999);
    expect(blocked()).toEqual([true, true, true]);
    await fleet.pass(1);
    expect(blocked()).toEqual([false, false, false]);
    a.call('a', 'failed');
    fleet.bus.deliver();
    expect(blocked()).toEqual([true, true, true]);
    await fleet.pass(10_000);
    const trial = a.table.begin('reports', 'a', 'weekly');
    expect(blocked()).toEqual([true, false, false]);
    c.call('a', 'completed');
    fleet.bus.deliver();
    expect(blocked()).toEqual([false, false, false]);
    trial({ outcome: 'completed', elapsedMs: 1 });
    fleet.bus.deliver();
    c.call('a', 'failed', 9);
    fleet.bus.deliver();
    expect(blocked()).toEqual([false, false, false]);
  });

  test('that find a login missing keep all away, until one finds that none is', async () => {
    const { fleet, a, b, all } = fleetOf(registered('a'));
    const states = () => all.map((each) => each.view('a').state);
    const under = a.table.begin('reports', 'a', 'weekly');
    b.call('a', 'needs_auth');
    fleet.bus.deliver();
    expect(states()).toEqual(['needs_auth', 'needs_auth', 'needs_auth']);
    under({ outcome: 'completed', elapsedMs: 1 });
    fleet.bus.deliver();
    expect(states()).toEqual(['up', 'up', 'up']);
    b.call('a', 'needs_auth');
    fleet.bus.deliver();
    await fleet.pass(60_000);
    expect(states()).toEqual(['up', 'up', 'up']);
  });

  test('under way count on all replicas, within a second, and not any more where a replica is gone', async () => {
    const { fleet, a, b, c } = fleetOf(registered('a'));
    fleet.catalogue.publish({ agentName: 'reports', maxConcurrency: 3 });
    const begin = (member: Member) => member.table.begin('reports', 'a', 'weekly');
    const [first, second] = [begin(a), begin(b)];
    begin(c);
    expect(a.view('a')).toMatchObject({ pending: 1, state: 'up' });
    await fleet.pass(1_000);
    await fleet.pass(1);
    for (const each of [a, b, c]) expect(each.view('a')).toMatchObject({ pending: 3, state: 'busy' });
    first({ outcome: 'completed', elapsedMs: 1 });
    second({ outcome: 'completed', elapsedMs: 1 });
    await fleet.pass(1_000);
    await fleet.pass(1);
    for (const each of [a, b, c]) expect(each.view('a')).toMatchObject({ pending: 1, state: 'up' });
    fleet.shares.living = ['A', 'B'];
    fleet.shares.change();
    expect([a.view('a').pending, b.view('a').pending]).toEqual([0, 0]);
  });
});

test('what one says that the others do not understand is passed over', () => {
  const { fleet, a } = fleetOf(registered('a'));
  const { address } = registered('a');
  const name = { agentName: 'reports', instanceId: 'a', address };
  for (const message of [
    null,
    1,
    'x',
    {},
    { ...name, finding: { kind: 'new' } },
    { ...name, finding: { kind: 'load' } },
  ])
    fleet.bus.of('Z').send('t', 'health', message);
  fleet.bus.deliver();
  expect(a.view('a')).toMatchObject({ state: 'up', pending: 0 });
});

const result: fc.Arbitrary<ProbeResult> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('ok' as const), rttMs: fc.nat(2_000) }) },
  { weight: 4, arbitrary: fc.constant(PROBE_REFUSED) },
  { weight: 1, arbitrary: fc.constant({ kind: 'needs_auth', detail: 'it answered 403' } as const) },
);
const happening = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('probe' as const), result }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      by: fc.nat(2),
      outcome: fc.constantFrom<CallOutcome['outcome']>(
        'completed',
        'failed',
        'unreachable',
        'busy',
        'needs_auth',
      ),
      times: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('owner' as const), owner: fc.nat(2) }) },
);

test('whatever is seen, and by whom, three replicas show the same states', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(happening, fc.nat(15_000), fc.nat(9)), { maxLength: 60 }),
      fc.boolean(),
      async (happenings, isLeased) => {
        const origin = isLeased ? 'registered' : 'manifest';
        const { fleet, all } = fleetOf(registered('a', { origin }));
        let owner = 0;
        /** Who missed something may have come into the same state for another reason. */
        let isWhole = true;
        for (const [event, passes, chance] of happenings) {
          await fleet.pass(passes);
          if (event.kind === 'probe') all[owner]?.probed('a', event.result);
          if (event.kind === 'call') all[event.by]?.call('a', event.outcome, event.times);
          if (event.kind === 'owner') {
            owner = event.owner;
            fleet.shares.ownerOf = () => fleet.shares.living[owner] ?? '';
            fleet.shares.change();
          }
          if (chance === 0) {
            isWhole = false;
            fleet.bus.lose();
            // Then all ask, and are told within a second.
            for (let step = 0; step < 3; step++) await fleet.pass(500);
          }
          fleet.bus.deliver();
          const [first, ...others] = all
            .map(shown)
            .map((each) => ({ ...each, reason: isWhole ? each.reason : '' }));
          for (const other of others) expect(other).toEqual(first);
        }
      },
    ),
    { numRuns: 300 },
  );
});
