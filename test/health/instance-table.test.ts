import { describe, expect, it } from 'vitest';
import { InstanceTable } from '../../src/health/instance-table.js';
import { type CallOutcome, type InstanceState, isEligible } from '../../src/health/instance-view.js';
import type { Manifest } from '../../src/manifest/schema.js';
import { HandClock } from '../support/hand-clock.js';
import { memoryInstanceRegistry } from '../support/memory-instance-registry.js';
import { type InstanceInput, TestCatalogue } from '../support/test-catalogue.js';

function newTable(...instances: InstanceInput[]) {
  const catalogue = new TestCatalogue();
  const table = new InstanceTable(new HandClock());
  const instanceRegistry = memoryInstanceRegistry();
  instanceRegistry.follow(table);
  catalogue.follow(table);
  catalogue.follow(instanceRegistry);
  const publish = (now: InstanceInput[], overrides: Partial<Manifest> = {}) =>
    catalogue.publish({ agentName: 'reports', instances: now, ...overrides });
  publish(instances);
  const view = (instanceId: string) =>
    table.instancesOf('reports').find((instance) => instance.instanceId === instanceId);
  return { table, catalogue, publish, view };
}

const A = { instanceId: 'a', address: 'http://127.0.0.1:1' };
const B = { instanceId: 'b', address: 'http://127.0.0.1:2' };
const C = { instanceId: 'c', address: 'http://127.0.0.1:3' };

const outcome = (kind: CallOutcome['outcome'], elapsedMs: number | undefined): CallOutcome => ({
  outcome: kind,
  elapsedMs,
});

describe('the views', () => {
  it('show what the manifest names as up', () => {
    const { table, publish } = newTable();
    publish([{ ...A, weight: 7, region: 'east', labels: { env: 'prod' } }, B], { maxConcurrency: 5 });
    expect(table.instancesOf('reports')).toMatchObject([
      {
        agentName: 'reports',
        ...A,
        weight: 7,
        region: 'east',
        labels: { env: 'prod' },
        state: 'up',
        reachability: 1,
        pending: 0,
        maxConcurrency: 5,
        latencyMs: undefined,
      },
      { agentName: 'reports', ...B, weight: 100, maxConcurrency: 5 },
    ]);
  });

  it('are none for an agent that is unknown or gone', () => {
    const { table, catalogue } = newTable(A);
    expect(table.instancesOf('nobody')).toEqual([]);
    catalogue.remove('reports');
    expect(table.instancesOf('reports')).toEqual([]);
  });

  it('are the same objects until something changes, and then only what changed is new', () => {
    const { table, view } = newTable(A, B);
    const [before, a, b] = [table.instancesOf('reports'), view('a'), view('b')];
    expect(table.instancesOf('reports')).toBe(before);
    table.begin('reports', 'a', 'weekly');
    expect(table.instancesOf('reports')).not.toBe(before);
    expect(view('a')).not.toBe(a);
    expect(view('b')).toBe(b);
    expect(a?.pending).toBe(0);
  });

  it('are those of the moment, in the order in which instances came, whatever happens between two looks', () => {
    const { table, publish } = newTable(A, B, C);
    const seen = () => table.instancesOf('reports').map(({ instanceId, pending }) => [instanceId, pending]);
    table.begin('reports', 'c', 'weekly');
    expect(seen()).toEqual([
      ['a', 0],
      ['b', 0],
      ['c', 1],
    ]);
    table.begin('reports', 'b', 'weekly');
    table.begin('reports', 'c', 'weekly');
    publish([B, C]);
    expect(seen()).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
    table.begin('reports', 'b', 'weekly');
    expect(seen()).toEqual([
      ['b', 2],
      ['c', 2],
    ]);
    publish([C, B, A]);
    table.begin('reports', 'a', 'weekly');
    table.begin('reports', 'c', 'weekly');
    expect(seen()).toEqual([
      ['b', 2],
      ['c', 3],
      ['a', 1],
    ]);
  });
});

describe('the version of an address', () => {
  it('grows with a new address and only then', () => {
    const { publish, view } = newTable(A, B);
    const [a, b] = [view('a')?.addrVersion ?? 0, view('b')?.addrVersion ?? 0];
    publish([
      { ...A, address: 'http://127.0.0.1:9' },
      { ...B, weight: 3 },
    ]);
    expect(view('a')?.addrVersion).toBeGreaterThan(a);
    expect(view('b')).toMatchObject({ addrVersion: b, weight: 3 });
  });

  it('grows over a removal and a return', () => {
    const { catalogue, publish, view } = newTable(A);
    const before = view('a')?.addrVersion ?? 0;
    catalogue.remove('reports');
    publish([{ ...A, address: 'http://127.0.0.1:9' }]);
    expect(view('a')?.addrVersion).toBeGreaterThan(before);
  });
});

describe('our own calls', () => {
  it('are pending until their outcome is told', () => {
    const { table, view } = newTable(A, B);
    const first = table.begin('reports', 'a', 'weekly');
    const second = table.begin('reports', 'a', 'weekly');
    expect(view('a')?.pending).toBe(2);
    expect(view('b')?.pending).toBe(0);
    first(outcome('failed', 5));
    second(outcome('timeout', 5));
    expect(view('a')?.pending).toBe(0);
  });

  it('smooth the latency of answers, not of failures', () => {
    const { table, view } = newTable(A);
    const call = (kind: CallOutcome['outcome'], elapsedMs: number | undefined) =>
      table.begin('reports', 'a', 'weekly')(outcome(kind, elapsedMs));
    call('failed', 1);
    expect(view('a')?.latencyMs).toBeUndefined();
    call('completed', 100);
    expect(view('a')?.latencyMs).toBe(100);
    call('timeout', 5_000);
    call('refused', 1);
    call('completed', undefined);
    call('completed', 200);
    expect(view('a')?.latencyMs).toBeCloseTo(120);
  });

  it('survive a new version of the manifest, not a new address', () => {
    const { table, publish, view } = newTable(A, B);
    const ends = [table.begin('reports', 'a', 'weekly'), table.begin('reports', 'b', 'weekly')];
    publish([A, { ...B, address: 'http://127.0.0.1:9' }]);
    expect(view('a')?.pending).toBe(1);
    expect(view('b')?.pending).toBe(0);
    for (const end of ends) end(outcome('completed', 10));
    expect(view('a')).toMatchObject({ pending: 0, latencyMs: 10 });
    expect(view('b')).toMatchObject({ pending: 0, latencyMs: undefined });
  });

  it('of an instance that is gone are forgotten', () => {
    const { table, catalogue, publish, view } = newTable(A);
    const end = table.begin('reports', 'a', 'weekly');
    catalogue.remove('reports');
    table.begin('reports', 'a', 'weekly')(outcome('completed', 1));
    publish([A]);
    end(outcome('completed', 1));
    expect(view('a')).toMatchObject({ pending: 0, latencyMs: undefined });
  });
});

describe('isEligible', () => {
  const states: Record<InstanceState, boolean> = {
    up: true,
    degraded: true,
    busy: true,
    fenced: false,
    paused: false,
    draining: false,
    needs_auth: false,
    down: false,
    expired: false,
  };

  const viewOf = (instance: InstanceInput) => {
    const [view] = newTable(instance).table.instancesOf('reports');
    if (view === undefined) throw new Error('no view');
    return view;
  };

  it.each(Object.entries(states))('%s: %s', (state, eligible) => {
    expect(isEligible({ ...viewOf(A), state: state as InstanceState }, 'weekly')).toBe(eligible);
  });

  it('not with weight 0', () => {
    expect(isEligible(viewOf({ ...A, weight: 0 }), 'weekly')).toBe(false);
  });

  it('not for a capability that fails there, though for others', () => {
    const view = { ...viewOf(A), blocked: new Set(['weekly']) };
    expect(isEligible(view, 'weekly')).toBe(false);
    expect(isEligible(view, 'monthly')).toBe(true);
  });
});
