import { describe, expect, it } from 'vitest';
import { reachabilityOf } from '../../src/health/instance-view.js';
import type { ProbeFollower, ProbeTarget } from '../../src/health/probe.js';
import { TestCatalogue } from '../support/test-catalogue.js';
import { PROBE_OK, PROBE_REFUSED, registered, reportOf, WatchedTable } from '../support/watched-table.js';

describe('changes of state', () => {
  it('are told once each, with time and reason', () => {
    const watched = new WatchedTable().join(registered('a'));
    watched.probe('a', PROBE_OK).probe('a', PROBE_REFUSED, 3);
    expect(watched.changes).toEqual([
      {
        atMs: 0,
        agentName: 'reports',
        instanceId: 'a',
        from: null,
        to: 'up',
        reason: 'it came',
        addrVersion: 1,
      },
      expect.objectContaining({ atMs: 10_000, from: 'up', to: 'degraded' }),
      expect.objectContaining({
        atMs: 20_000,
        from: 'degraded',
        to: 'down',
        reason: '3 probes failed: connection refused',
      }),
    ]);
    expect(watched.view('a')).toMatchObject({
      state: 'down',
      reason: '3 probes failed: connection refused',
      since: 20_000,
    });
  });

  it('tell the way back', () => {
    const watched = new WatchedTable().join(registered('a')).probe('a', PROBE_REFUSED, 1);
    watched.probe('a', PROBE_OK, 20).probe('a', PROBE_REFUSED, 3);
    watched.told();
    watched.probe('a', PROBE_OK, 20);
    expect(watched.told()).toEqual([['down', 'up', 'its probes succeed again']]);
    expect(watched.table.historyOf('reports', 'a').map(({ to }) => to)).toEqual(['up', 'down', 'up']);
  });

  it('follow drains, pauses and leases at once', () => {
    const watched = new WatchedTable().join(registered('a'));
    const { table } = watched;
    watched.told();
    table.heard('reports', 'a', reportOf('paused'));
    table.heard('reports', 'a', reportOf('up'));
    const instance = registered('a', { draining: true });
    table.applyInstances([{ kind: 'changed', instance, restarted: false }]);
    table.applyInstances([{ kind: 'changed', instance: registered('a'), restarted: false }]);
    table.leaseChanged('reports', 'a', false);
    table.leaseChanged('reports', 'a', true);
    expect(watched.told()).toEqual([
      ['up', 'paused', 'it paused by itself'],
      ['paused', 'up', 'it resumed'],
      ['up', 'draining', 'it finishes what it has and takes nothing new'],
      ['draining', 'up', 'it takes work again'],
      ['up', 'expired', 'no heartbeat came within its lease'],
      ['expired', 'up', 'its heartbeats come again'],
    ]);
  });

  it('tell of a new address, even where the state is as before', () => {
    const watched = new WatchedTable().join(registered('a'));
    watched.told();
    const moved = registered('a', { address: 'http://127.0.0.1:9', addrVersion: 2 });
    watched.table.applyInstances([{ kind: 'changed', instance: moved, restarted: true }]);
    expect(watched.changes).toMatchObject([{ from: 'up', to: 'up', addrVersion: 2 }]);
    expect(watched.told()).toEqual([['up', 'up', 'it moved to another address']]);
    expect(watched.view('a')).toMatchObject({ address: 'http://127.0.0.1:9', addrVersion: 2 });
  });

  it('come by themselves where time alone brings them, with one timer for all', () => {
    const watched = new WatchedTable().join(registered('a'), registered('b'));
    watched.call('a', 'needs_auth').clock.pass(30_000);
    watched.call('b', 'needs_auth');
    expect(watched.clock.delays).toHaveLength(1);
    watched.told();
    watched.clock.pass(30_000);
    expect(watched.told()).toEqual([['needs_auth', 'up', 'no login is missing any more']]);
    watched.clock.pass(30_000);
    expect(watched.view('b').state).toBe('up');
    expect(watched.clock.delays).toEqual([]);
  });
});

describe('an instance that starts again', () => {
  it('starts clean, with the history of what was', () => {
    const watched = new WatchedTable().join(registered('a')).probe('a', PROBE_REFUSED, 3);
    watched.call('a', 'failed', 10);
    expect(watched.view('a')).toMatchObject({ state: 'down', blocked: new Set(['weekly']) });
    const instance = registered('a', { incarnation: 2 });
    watched.table.applyInstances([{ kind: 'changed', instance, restarted: true }]);
    expect(watched.view('a')).toMatchObject({
      state: 'up',
      reason: 'it started again',
      reachability: 1,
      blocked: new Set(),
    });
    expect(watched.table.historyOf('reports', 'a').map(({ to }) => to)).toEqual([
      'up',
      'degraded',
      'down',
      'up',
    ]);
  });

  it('hears nothing of calls that its older self was asked', () => {
    const watched = new WatchedTable().join(registered('a'));
    const end = watched.table.begin('reports', 'a', 'weekly');
    const instance = registered('a', { incarnation: 2 });
    watched.table.applyInstances([{ kind: 'changed', instance, restarted: true }]);
    end({ outcome: 'unreachable', elapsedMs: 1 });
    expect(watched.view('a')).toMatchObject({ suspect: false, pending: 0, state: 'up', reachability: 1 });
  });
});

describe('the history of states', () => {
  it('keeps the last fifty', () => {
    const watched = new WatchedTable().join(registered('a'));
    for (let i = 0; i < 100; i++) {
      watched.clock.pass(1_000);
      watched.table.heard('reports', 'a', reportOf(i % 2 === 0 ? 'paused' : 'up'));
    }
    const history = watched.table.historyOf('reports', 'a');
    expect(history).toHaveLength(50);
    expect(history.at(-1)).toMatchObject({ atMs: 100_000, from: 'paused', to: 'up', reason: 'it resumed' });
  });

  it('is not crowded out by what load alone changes', () => {
    const watched = new WatchedTable();
    const catalogue = new TestCatalogue();
    catalogue.follow(watched.table);
    catalogue.publish({ agentName: 'reports', maxConcurrency: 1 });
    watched.join(registered('a')).table.heard('reports', 'a', reportOf('paused'));
    watched.table.heard('reports', 'a', reportOf('up'));
    watched.call('a', 'completed', 1_000);
    watched.table.begin('reports', 'a', 'weekly');
    expect(watched.view('a').state).toBe('busy');
    expect(watched.table.historyOf('reports', 'a').map(({ from, to }) => [from, to])).toEqual([
      [null, 'up'],
      ['up', 'paused'],
      ['paused', 'up'],
      ['up', 'busy'],
    ]);
  });

  it('keeps a move, though the state was the same before and after', () => {
    const watched = new WatchedTable().join(registered('a'));
    const moved = registered('a', { addrVersion: 2 });
    watched.table.applyInstances([{ kind: 'changed', instance: moved, restarted: true }]);
    watched.call('a', 'unreachable').call('a', 'completed');
    expect(watched.table.historyOf('reports', 'a').map(({ reason }) => reason)).toEqual([
      'it came',
      'it moved to another address',
    ]);
  });

  it('is none of an instance that is not known', () => {
    expect(new WatchedTable().table.historyOf('reports', 'a')).toEqual([]);
  });
});

describe('a breaker in the table', () => {
  it('takes the instance out for one capability, and by time alone lets a trial through', () => {
    const watched = new WatchedTable().join(registered('a')).call('a', 'failed', 10);
    expect(watched.view('a')).toMatchObject({ state: 'up', blocked: new Set(['weekly']) });
    watched.clock.pass(10_000);
    expect(watched.view('a').blocked.size).toBe(0);
    const end = watched.table.begin('reports', 'a', 'weekly');
    expect(watched.view('a').blocked).toEqual(new Set(['weekly']));
    end({ outcome: 'completed', elapsedMs: 1 });
    expect(watched.view('a').blocked.size).toBe(0);
  });

  it('goes with the capability', () => {
    const watched = new WatchedTable();
    const catalogue = new TestCatalogue();
    catalogue.follow(watched.table);
    catalogue.publish({ agentName: 'reports' });
    watched.join(registered('a')).call('a', 'failed', 10);
    catalogue.publish({ agentName: 'reports', capabilities: [{ id: 'monthly' }] });
    expect(watched.view('a').blocked.size).toBe(0);
  });
});

describe('an instance in the place of another one', () => {
  it('starts clean, and the other one is told as replaced', () => {
    const watched = new WatchedTable().join(registered('a', { origin: 'manifest' }));
    watched.probe('a', PROBE_REFUSED, 3).call('a', 'needs_auth');
    watched.told();
    watched.join(registered('a', { addrVersion: 2 }));
    expect(watched.told()).toEqual([
      ['needs_auth', null, 'replaced'],
      [null, 'up', 'it came'],
    ]);
    expect(watched.clock.delays.length).toBeLessThanOrEqual(1);
    watched.clock.pass(60_000);
    expect(watched.told()).toEqual([]);
  });

  it('that comes back after it starts as down, until five probes have succeeded', () => {
    const watched = new WatchedTable();
    const instance = registered('a', { origin: 'manifest' });
    watched.table.applyInstances([{ kind: 'joined', instance, startsDown: true }]);
    expect(watched.told()).toEqual([[null, 'down', 'not probed yet since it came back']]);
    watched.probe('a', PROBE_OK, 5);
    expect(watched.told()).toEqual([['down', 'up', 'its probes succeed again']]);
  });
});

describe('whoever probes', () => {
  function follow(watched: WatchedTable) {
    const seen: string[] = [];
    const follower: ProbeFollower = {
      probe: ({ instanceId, url, everyMs }: ProbeTarget) => seen.push(`${instanceId} ${url} ${everyMs}`),
      probeNow: (_, instanceId) => seen.push(`${instanceId} now`),
      forget: (_, instanceId) => seen.push(`${instanceId} gone`),
    };
    watched.table.followProbes(follower);
    return () => seen.splice(0);
  }

  const own = { healthAddress: 'http://127.0.0.1:1/up' };

  it('is told what there is, and then who comes, moves and goes', () => {
    const watched = new WatchedTable().join(registered('a', own));
    const told = follow(watched);
    watched.join(registered('b', own));
    const moved = registered('a', { healthAddress: 'http://127.0.0.1:2/up', addrVersion: 2 });
    watched.table.applyInstances([
      { kind: 'changed', instance: moved, restarted: true },
      { kind: 'changed', instance: { ...moved, weight: 5 }, restarted: false },
      { kind: 'left', instance: registered('b'), reason: 'left' },
    ]);
    expect(told()).toEqual([
      'a http://127.0.0.1:1/up 5000',
      'b http://127.0.0.1:1/up 5000',
      'a http://127.0.0.1:2/up 5000',
      'b gone',
    ]);
  });

  it('finds the endpoint of the manifest where the instance names none, as soon as there is one', () => {
    const watched = new WatchedTable().join(
      registered('a', { address: 'http://127.0.0.1:1/base/', healthAddress: undefined }),
    );
    const told = follow(watched);
    const catalogue = new TestCatalogue();
    catalogue.follow(watched.table);
    expect(told()).toEqual([]);
    catalogue.publish({ agentName: 'reports', healthEndpoint: '/live' });
    expect(told()).toEqual(['a http://127.0.0.1:1/base/live 5000']);
    catalogue.remove('reports');
    expect(told()).toEqual(['a gone']);
  });

  it('looks less often while nobody can be expected to answer, not while it is fenced', () => {
    const watched = new WatchedTable().join(registered('a', own));
    const told = follow(watched);
    watched.probe('a', PROBE_REFUSED, 4);
    expect(told().at(-1)).toBe('a http://127.0.0.1:1/up 10000');
    watched.table.heard('reports', 'a', reportOf('up'));
    expect(told()).toEqual(['a http://127.0.0.1:1/up 5000']);
    watched.table.leaseChanged('reports', 'a', false);
    expect(told()).toEqual(['a http://127.0.0.1:1/up 10000']);
  });

  it('looks at a suspect at once, and once', () => {
    const watched = new WatchedTable().join(registered('a', own));
    const told = follow(watched);
    told();
    watched.call('a', 'unreachable', 100);
    expect(told()).toEqual(['a now']);
    watched.probe('a', PROBE_OK).call('a', 'unreachable');
    expect(told()).toEqual(['a now']);
  });
});

describe('the summary of an agent', () => {
  it('has mean, least, who takes work and who is there', () => {
    const watched = new WatchedTable().join(
      registered('a'),
      registered('b'),
      registered('c', { weight: 0 }),
      registered('d', { draining: true }),
    );
    watched.probe('b', PROBE_REFUSED, 3);
    const down = watched.view('b').reachability;
    expect(down).toBeCloseTo(0.4);
    expect(reachabilityOf(watched.table.instancesOf('reports'))).toEqual({
      mean: (3 + down) / 4,
      min: down,
      eligible: 1,
      registered: 4,
    });
  });

  it('is zeros where there is nobody', () => {
    const none = { mean: 0, min: 0, eligible: 0, registered: 0 };
    expect(reachabilityOf([])).toEqual(none);
  });
});
