import { describe, expect, it } from 'vitest';
import { isEligible, reachabilityOf } from '../../src/health/instance-view.js';
import { PROBE_OK, PROBE_REFUSED, registered, reportOf, WatchedTable } from '../support/watched-table.js';

describe('a busy node declared dead', () => {
  it('is fenced while its heartbeats come, told to pause, and back without a minute of waiting', () => {
    const watched = new WatchedTable().join(registered('a')).probe('a', PROBE_OK, 20);
    const beat = (state: 'up' | 'paused') => watched.table.heard('reports', 'a', reportOf(state));
    watched.probe('a', PROBE_REFUSED, 2);
    beat('up');
    watched.probe('a', PROBE_REFUSED, 1);
    expect(watched.view('a').state).toBe('fenced');
    expect(beat('up')).toEqual({ commands: ['pause'], fenced: true });
    expect(beat('paused')).toEqual({ commands: ['pause'], fenced: true });
    watched.probe('a', PROBE_OK, 5);
    expect(beat('paused')).toEqual({ commands: ['resume'], fenced: true });
    expect(beat('up')).toEqual({ commands: [], fenced: false });
    expect(watched.view('a').state).toBe('up');
    expect(watched.changes.map(({ to }) => to)).not.toContain('down');
  });

  it('takes work as a last resort when it is full, and is not out', () => {
    const watched = new WatchedTable().join(registered('a'));
    watched.table.heard('reports', 'a', reportOf('up', 1_000));
    expect(isEligible(watched.view('a'), 'weekly')).toBe(true);
  });
});

describe('a missing login counted as unreachable', () => {
  it('leaves reachability and error figures as they are, and the instance out of routing', () => {
    const watched = new WatchedTable().join(registered('a'));
    watched.probe('a', { kind: 'needs_auth', detail: 'it answered 401' }, 10).call('a', 'needs_auth', 100);
    expect(watched.view('a')).toMatchObject({
      state: 'needs_auth',
      reason: 'it answered 401',
      reachability: 1,
      suspect: false,
      blocked: new Set(),
    });
    expect(isEligible(watched.view('a'), 'weekly')).toBe(false);
  });
});

describe('a failed call marking a whole gateway down', () => {
  it('touches no other agent behind the same address', () => {
    const gateway = { address: 'http://127.0.0.1:9601' };
    const watched = new WatchedTable().join(
      registered('a', gateway),
      registered('a', { ...gateway, agentName: 'orders' }),
    );
    const [before] = watched.table.instancesOf('orders');
    watched.call('a', 'unreachable', 50).call('a', 'failed', 50).probe('a', PROBE_REFUSED, 3);
    expect(watched.view('a').state).toBe('down');
    expect(watched.table.instancesOf('orders')).toEqual([before]);
  });

  it('touches no other capability of the instance', () => {
    const watched = new WatchedTable().join(registered('a')).call('a', 'failed', 100);
    watched.call('a', 'completed', 100, 'monthly');
    expect(isEligible(watched.view('a'), 'weekly')).toBe(false);
    expect(isEligible(watched.view('a'), 'monthly')).toBe(true);
  });

  it('that found no connection makes the instance a suspect, which still takes what nobody else can', () => {
    const watched = new WatchedTable().join(registered('a')).call('a', 'unreachable');
    expect(watched.view('a')).toMatchObject({ state: 'degraded', suspect: true });
    expect(isEligible(watched.view('a'), 'weekly')).toBe(true);
  });
});

describe('a clean exit reported as lost', () => {
  it('is one change, with a reason that says so', () => {
    const watched = new WatchedTable().join(registered('a'), registered('b'));
    const end = watched.table.begin('reports', 'a', 'weekly');
    watched.told();
    watched.table.applyInstances([{ kind: 'left', instance: registered('a'), reason: 'left' }]);
    end({ outcome: 'unreachable', elapsedMs: 1 });
    watched.probe('a', PROBE_REFUSED, 5).table.leaseChanged('reports', 'a', false);
    expect(watched.told()).toEqual([['up', null, 'left']]);
    expect(watched.table.instancesOf('reports').map(({ instanceId }) => instanceId)).toEqual(['b']);
    expect(reachabilityOf(watched.table.instancesOf('reports'))).toEqual({
      mean: 1,
      min: 1,
      eligible: 1,
      registered: 1,
    });
  });
});

describe('flapping', () => {
  it('up 20 s and down 20 s: out with the first fall, and back only once it has stayed', () => {
    const watched = new WatchedTable().join(registered('a')).probe('a', PROBE_OK, 20);
    for (let flap = 0; flap < 30; flap++) watched.probe('a', PROBE_REFUSED, 4).probe('a', PROBE_OK, 4);
    expect(watched.told().map(([, to]) => to)).toEqual(['up', 'down']);
    watched.probe('a', PROBE_OK, 1);
    expect(isEligible(watched.view('a'), 'weekly')).toBe(true);
  });
});

describe('heartbeat floods', () => {
  it('tell nothing, hold no timer and keep no more than one beat', () => {
    const watched = new WatchedTable();
    const ids = Array.from({ length: 200 }, (_, i) => `i${i}`);
    watched.join(...ids.map((id) => registered(id)));
    watched.told();
    for (let i = 0; i < 50; i++) {
      for (const id of ids) watched.table.heard('reports', id, reportOf('up', i % 7));
    }
    expect(watched.told()).toEqual([]);
    expect(watched.clock.delays).toEqual([]);
    expect(watched.view('i0')).toMatchObject({ state: 'up', pending: 0 });
    expect(watched.table.historyOf('reports', 'i0')).toHaveLength(1);
  });

  it('of instances that are not known are answered and forgotten', () => {
    const { table } = new WatchedTable();
    for (let i = 0; i < 1_000; i++) {
      expect(table.heard(`agent-${i}`, 'a', reportOf('up'))).toEqual({ commands: [], fenced: false });
      table.probed(`agent-${i}`, 'a', PROBE_REFUSED);
      table.leaseChanged(`agent-${i}`, 'a', false);
      table.begin(`agent-${i}`, 'a', 'weekly')({ outcome: 'failed', elapsedMs: 1 });
    }
    expect(table.instancesOf('agent-0')).toEqual([]);
  });
});

it('a list that shows "offline" while a call succeeds: calls that succeed keep an instance in the list of those in service', () => {
  const watched = new WatchedTable().join(registered('a', { origin: 'manifest' })).probe('a', PROBE_OK, 20);
  for (let i = 0; i < 20; i++) watched.probe('a', PROBE_REFUSED, 2).call('a', 'completed');
  expect(isEligible(watched.view('a'), 'weekly')).toBe(true);
});
