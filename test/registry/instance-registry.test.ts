import { describe, expect, test } from 'vitest';
import { InstanceRegistry } from '../../src/registry/instance-registry.js';
import { MemoryInstanceStore } from '../../src/storage/memory/instance-store.js';
import { TeamVersions } from '../../src/storage/memory/team-versions.js';
import { HandClock } from '../support/hand-clock.js';
import { ADDRESS, NAME, OTHER_ADDRESS, openInstances } from './instance-fixture.js';

const code = (expected: string) => expect.objectContaining({ code: expected });

describe('a registration', () => {
  test('counts when it is answered, for any agent name, with defaults in place', async () => {
    const { registry, follower } = await openInstances();
    expect(await registry.register(NAME, { address: ADDRESS })).toEqual({
      addrVersion: 1,
      nextHeartbeatMs: 10_000,
      leaseMs: 30_000,
    });
    expect(follower.take()).toEqual(['a joined']);
    expect(registry.instancesOf('reports')).toEqual([
      {
        instance: {
          ...NAME,
          address: ADDRESS,
          addrVersion: 1,
          healthAddress: undefined,
          weight: 100,
          region: undefined,
          labels: {},
          version: undefined,
          incarnation: undefined,
          origin: 'registered',
          draining: false,
        },
        leaseMs: 30_000,
        lastHeartbeatMs: undefined,
      },
    ]);
  });

  test('is refused before what is stored was loaded', async () => {
    const store = new MemoryInstanceStore(new TeamVersions());
    const options = { store, team: 'default', clock: new HandClock(), report: () => {} };
    const registry = new InstanceRegistry(options);
    await expect(registry.register(NAME, { address: ADDRESS })).rejects.toEqual(code('NOT_READY'));
  });

  test('that says the same again is neither stored nor told, but begins the lease anew', async () => {
    const { registry, follower, store, pass } = await openInstances();
    const registration = { address: ADDRESS, weight: 7, labels: { env: 'prod' }, incarnation: 5 };
    await registry.register(NAME, registration);
    store.save = async () => Promise.reject(new Error('stored again'));
    await pass(20_000);
    expect(registry.instance(NAME).leaseMs).toBe(10_000);
    // The same address in another spelling.
    await registry.register(NAME, { ...registration, address: `${ADDRESS}/` });
    expect(registry.instance(NAME).leaseMs).toBe(30_000);
    expect(follower.take()).toEqual(['a joined']);
  });

  test('that the store refuses changes nothing', async () => {
    const { registry, follower, store } = await openInstances();
    store.save = async () => Promise.reject(new Error('no'));
    await expect(registry.register(NAME, { address: ADDRESS })).rejects.toThrow('no');
    expect(follower.take()).toEqual([]);
    expect(() => registry.instance(NAME)).toThrow(code('INSTANCE_UNKNOWN'));
  });

  test('edits what it names and keeps the rest: 5 % to a new version and back', async () => {
    const { registry, follower } = await openInstances();
    const full = { address: ADDRESS, region: 'east', labels: { env: 'prod' }, version: '2', incarnation: 5 };
    const { addrVersion } = await registry.register(NAME, { ...full, weight: 5 });
    expect(await registry.register(NAME, { address: ADDRESS, weight: 100 })).toMatchObject({ addrVersion });
    expect(registry.instance(NAME).instance).toMatchObject({ ...full, weight: 100, addrVersion });
    expect(follower.take()).toEqual(['a joined', 'a edited']);
  });

  test('is bounded for each agent, and room comes back', async () => {
    const { registry } = await openInstances();
    for (let i = 0; i < 10_000; i++) {
      await registry.register({ agentName: 'reports', instanceId: `i${i}` }, { address: ADDRESS });
    }
    await expect(registry.register(NAME, { address: ADDRESS })).rejects.toEqual(code('OVERLOADED'));
    await registry.register({ agentName: 'reports', instanceId: 'i7' }, { address: ADDRESS, weight: 1 });
    await registry.register({ ...NAME, agentName: 'another' }, { address: ADDRESS });
    await registry.leave({ agentName: 'reports', instanceId: 'i7' }, undefined);
    await registry.register(NAME, { address: ADDRESS });
  });
});

describe('a second instance under the same id from another address', () => {
  test('is refused while the lease of the first holds, and takes over afterwards: never both', async () => {
    const { registry, follower, pass } = await openInstances();
    const first = await registry.register(NAME, { address: ADDRESS, weight: 5 });
    const move = () => registry.register(NAME, { address: OTHER_ADDRESS });
    await expect(move()).rejects.toEqual(code('INSTANCE_TAKEN'));
    await pass(29_000);
    await expect(move()).rejects.toEqual(code('INSTANCE_TAKEN'));
    await pass(2_000);
    const second = await move();
    expect(second.addrVersion).toBeGreaterThan(first.addrVersion);
    expect(follower.take()).toEqual(['a joined', 'a expired', 'a restarted', 'a holds again']);
    expect([...follower.addresses.values()]).toEqual([OTHER_ADDRESS]);
    // The first one is told by its next beat or registration that it is no longer the one.
    await expect(registry.register(NAME, { address: ADDRESS })).rejects.toEqual(code('INSTANCE_TAKEN'));
  });

  test('with a higher incarnation takes over at once; the lower one is told, also by its beats', async () => {
    const { registry, follower, beat } = await openInstances();
    await registry.register(NAME, { address: ADDRESS, incarnation: 5, weight: 5, labels: { old: 'yes' } });
    await registry.drain(NAME, 5);
    beat({ incarnation: 5, seq: 90 });
    await registry.register(NAME, { address: OTHER_ADDRESS, incarnation: 6 });
    expect(follower.take()).toEqual(['a joined', 'a edited', 'a restarted']);
    // The weight is set from outside and stays; the rest was the program's own.
    expect(registry.instance(NAME)).toMatchObject({
      instance: { address: OTHER_ADDRESS, weight: 5, labels: {}, draining: false },
      lastHeartbeatMs: undefined,
    });
    const older = { address: ADDRESS, incarnation: 5 };
    await expect(registry.register(NAME, older)).rejects.toEqual(code('INSTANCE_REPLACED'));
    expect(() => beat({ incarnation: 5, seq: 91 })).toThrow(code('INSTANCE_REPLACED'));
    await expect(registry.leave(NAME, 5)).rejects.toEqual(code('INSTANCE_REPLACED'));
    await expect(registry.drain(NAME, 5)).rejects.toEqual(code('INSTANCE_REPLACED'));
    // It counts from the start.
    expect(beat({ incarnation: 6, seq: 0 })).toMatchObject({ commands: [] });
    await registry.leave(NAME, 6);
  });

  test('with a lower incarnation, since its clock was set back, gets the place once the lease is over', async () => {
    const { registry, pass } = await openInstances();
    await registry.register(NAME, { address: ADDRESS, incarnation: 6 });
    const older = { address: ADDRESS, incarnation: 5 };
    await expect(registry.register(NAME, older)).rejects.toEqual(code('INSTANCE_REPLACED'));
    await pass(31_000);
    await registry.register(NAME, older);
    expect(registry.instance(NAME).instance).toMatchObject({ incarnation: 5 });
  });

  test('whose incarnation cannot be compared waits for the lease', async () => {
    const { registry } = await openInstances();
    await registry.register(NAME, { address: ADDRESS });
    const move = { address: OTHER_ADDRESS, incarnation: 6 };
    await expect(registry.register(NAME, move)).rejects.toEqual(code('INSTANCE_TAKEN'));
    await registry.register(NAME, { address: ADDRESS, incarnation: 6 });
    await expect(registry.register(NAME, move)).rejects.toEqual(code('INSTANCE_TAKEN'));
    await registry.register(NAME, { ...move, incarnation: 7 });
  });

  test('a restart at the same address keeps the version of the address', async () => {
    const { registry, follower } = await openInstances();
    const { addrVersion } = await registry.register(NAME, { address: ADDRESS, incarnation: 5 });
    expect(await registry.register(NAME, { address: ADDRESS, incarnation: 6 })).toMatchObject({
      addrVersion,
    });
    expect(follower.take()).toEqual(['a joined', 'a restarted']);
  });

  test('of many that come at once with different addresses exactly one is let in', async () => {
    const { registry, follower } = await openInstances();
    const calls = Array.from({ length: 20 }, (_, i) =>
      registry.register(NAME, { address: `http://10.0.0.${i + 1}` }),
    );
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(follower.take()).toEqual(['a joined']);
  });
});

describe('drain and leave', () => {
  test('a drain lasts until the instance registers without it', async () => {
    const { registry, follower } = await openInstances();
    await registry.register(NAME, { address: ADDRESS });
    await registry.drain(NAME, undefined);
    await registry.drain(NAME, undefined);
    await registry.register(NAME, { address: ADDRESS, weight: 3 });
    expect(registry.instance(NAME).instance).toMatchObject({ draining: true, weight: 3 });
    await registry.register(NAME, { address: ADDRESS, draining: false });
    expect(registry.instance(NAME).instance.draining).toBe(false);
    expect(follower.take()).toEqual(['a joined', 'a edited', 'a edited', 'a edited']);
  });

  test('a clean exit is never reported as lost', async () => {
    const { registry, follower, pass, store } = await openInstances();
    await registry.register(NAME, { address: ADDRESS });
    await registry.leave(NAME, undefined);
    await pass(700_000);
    expect(follower.take()).toEqual(['a joined', 'a left: left']);
    expect(await store.load('default')).toEqual([]);
    await expect(registry.leave(NAME, undefined)).rejects.toEqual(code('INSTANCE_UNKNOWN'));
    await expect(registry.drain(NAME, undefined)).rejects.toEqual(code('INSTANCE_UNKNOWN'));
  });

  test('the version of an address grows over a leave and a return', async () => {
    const { registry } = await openInstances();
    const before = await registry.register(NAME, { address: ADDRESS });
    await registry.leave(NAME, undefined);
    const after = await registry.register(NAME, { address: ADDRESS });
    expect(after.addrVersion).toBeGreaterThan(before.addrVersion);
  });
});

describe('static instances', () => {
  const A = { instanceId: 'a', address: ADDRESS };
  const B = { instanceId: 'b', address: OTHER_ADDRESS };

  test('are there as long as their manifest names them', async () => {
    const { registry, catalogue, follower, pass } = await openInstances();
    catalogue.publish({ agentName: 'reports', instances: [A, B] });
    catalogue.publish({
      agentName: 'reports',
      instances: [
        { ...A, weight: 3 },
        { ...B, address: ADDRESS },
      ],
    });
    expect(follower.take()).toEqual(['a joined', 'b joined', 'a edited', 'b restarted']);
    expect(registry.instancesOf('reports')).toMatchObject([
      { instance: { addrVersion: 1, weight: 3, origin: 'manifest' }, leaseMs: undefined },
      { instance: { addrVersion: 2 } },
    ]);
    await pass(700_000);
    catalogue.publish({ agentName: 'reports', instances: [B] });
    catalogue.remove('reports');
    expect(follower.take()).toEqual(['a left: removed', 'b restarted', 'b left: removed']);
  });

  test('have an address in one spelling, so that another one of the same is no move', async () => {
    const { registry, catalogue, follower } = await openInstances();
    catalogue.publish({ agentName: 'reports', instances: [{ ...A, address: `${ADDRESS}/ ` }] });
    catalogue.publish({ agentName: 'reports', instances: [A] });
    expect(follower.take()).toEqual(['a joined', 'a edited']);
    expect(registry.instance(NAME).instance.address).toBe(ADDRESS);
  });

  test('cannot be drained or taken away, and have no lease to renew', async () => {
    const { registry, catalogue, beat } = await openInstances();
    catalogue.publish({ agentName: 'reports', instances: [A] });
    await expect(registry.leave(NAME, undefined)).rejects.toEqual(code('INSTANCE_STATIC'));
    await expect(registry.drain(NAME, undefined)).rejects.toEqual(code('INSTANCE_STATIC'));
    expect(() => beat()).toThrow(code('INSTANCE_UNKNOWN'));
  });

  test('give way to one that registers under their id, and are there again, down, when it leaves', async () => {
    const { registry, catalogue, follower } = await openInstances();
    catalogue.publish({ agentName: 'reports', instances: [A] });
    const registered = await registry.register(NAME, { address: OTHER_ADDRESS });
    expect(registry.instancesOf('reports')).toMatchObject([{ instance: { origin: 'registered' } }]);
    // What the manifest says meanwhile counts later.
    catalogue.publish({ agentName: 'reports', instances: [{ ...A, weight: 9 }] });
    await registry.leave(NAME, undefined);
    expect(follower.take()).toEqual([
      'a joined',
      'a left: replaced',
      'a joined',
      'a left: left',
      'a joined down',
    ]);
    const { instance } = registry.instance(NAME);
    expect(instance).toMatchObject({ origin: 'manifest', address: ADDRESS, weight: 9 });
    expect(instance.addrVersion).toBeGreaterThan(registered.addrVersion);
  });

  test('no stale entry outlives its owner: a static one comes back when the lease of the other is long over', async () => {
    const { registry, catalogue, follower, pass } = await openInstances();
    catalogue.publish({ agentName: 'reports', instances: [A] });
    await registry.register(NAME, { address: OTHER_ADDRESS });
    follower.take();
    await pass(31_000);
    expect(follower.take()).toEqual(['a expired']);
    await pass(601_000);
    expect(follower.take()).toEqual(['a left: expired', 'a joined down']);
    catalogue.remove('reports');
    expect(registry.instancesOf('reports')).toEqual([]);
  });
});
