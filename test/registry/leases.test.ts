import { describe, expect, test } from 'vitest';
import { ADDRESS, NAME, OTHER_ADDRESS, openInstances } from './instance-fixture.js';

const code = (expected: string) => expect.objectContaining({ code: expected });

async function withInstance() {
  const opened = await openInstances();
  await opened.registry.register(NAME, { address: ADDRESS });
  opened.follower.take();
  return opened;
}

describe('a lease', () => {
  test('begins anew with every beat', async () => {
    const { follower, pass, beat } = await withInstance();
    for (let i = 0; i < 10; i++) {
      await pass(14_000);
      beat();
    }
    expect(follower.take()).toEqual([]);
  });

  test('that is over leaves the instance listed for ten minutes, then it is removed', async () => {
    const { registry, store, follower, pass } = await withInstance();
    await pass(31_000);
    expect(follower.take()).toEqual(['a expired']);
    await pass(590_000);
    expect(registry.instance(NAME)).toMatchObject({ leaseMs: 0 });
    expect(follower.take()).toEqual([]);
    await pass(12_000);
    expect(follower.take()).toEqual(['a left: expired']);
    expect(await store.load('default')).toEqual([]);
    expect(() => registry.instance(NAME)).toThrow(code('INSTANCE_UNKNOWN'));
  });

  test.each([
    ['a beat', ({ beat }: Awaited<ReturnType<typeof withInstance>>) => beat()],
    [
      'a registration',
      ({ registry }: Awaited<ReturnType<typeof withInstance>>) =>
        registry.register(NAME, { address: ADDRESS }),
    ],
  ])('that is over holds again after %s', async (_, comeBack) => {
    const opened = await withInstance();
    await opened.pass(31_000);
    await comeBack(opened);
    expect(opened.follower.take()).toEqual(['a expired', 'a holds again']);
    await opened.pass(29_000);
    expect(opened.follower.take()).toEqual([]);
  });

  test('of a thousand instances all run on one timer, which goes with the last of them', async () => {
    const { registry, clock } = await openInstances();
    const names = Array.from({ length: 1_000 }, (_, i) => ({ agentName: 'reports', instanceId: `i${i}` }));
    for (const name of names) await registry.register(name, { address: ADDRESS });
    expect(clock.delays).toHaveLength(1);
    for (const name of names) await registry.leave(name, undefined);
    expect(clock.delays).toEqual([]);
    await registry.register(NAME, { address: ADDRESS });
    registry.close();
    expect(clock.delays).toEqual([]);
  });

  test('is not over for the time in which this process stood still', async () => {
    const { registry, clock, follower, beat, pass } = await withInstance();
    clock.pass(300_000);
    expect(follower.take()).toEqual([]);
    expect(registry.instance(NAME).leaseMs).toBe(29_000);
    beat();
    await pass(31_000);
    expect(follower.take()).toEqual(['a expired']);
  });

  test('that begins in the moment in which this process goes on is no longer than others', async () => {
    const { registry, clock, follower, beat, pass } = await openInstances();
    // Before the timer of the leases, which starts with the first of them.
    clock.after(300_000, () => beat());
    await registry.register(NAME, { address: ADDRESS });
    clock.pass(300_000);
    expect(registry.instance(NAME).leaseMs).toBe(30_000);
    await pass(31_000);
    expect(follower.take()).toEqual(['a joined', 'a expired']);
  });

  test('begins anew when the service starts again, with weights, drains and incarnations as they were', async () => {
    const { registry, store, pass } = await openInstances();
    await registry.register(NAME, { address: ADDRESS, weight: 5, incarnation: 9 });
    await registry.drain(NAME, undefined);
    const { instance } = registry.instance(NAME);
    await pass(20_000);
    registry.close();

    const restarted = await openInstances({ store });
    expect(restarted.follower.take()).toEqual(['a joined']);
    expect(restarted.registry.instance(NAME)).toEqual({
      instance,
      leaseMs: 66_000,
      lastHeartbeatMs: undefined,
    });
    const lower = { address: OTHER_ADDRESS, incarnation: 8 };
    await expect(restarted.registry.register(NAME, lower)).rejects.toEqual(code('INSTANCE_REPLACED'));
    // Longer than the longest wait that may have been asked for before.
    await restarted.pass(65_000);
    expect(restarted.follower.take()).toEqual([]);
    await restarted.pass(2_000);
    expect(restarted.follower.take()).toEqual(['a expired']);
  });

  test('that begins anew just before the removal keeps the instance', async () => {
    const { registry, store, follower, pass } = await withInstance();
    await pass(31_000);
    const save = store.save.bind(store);
    let goOn = () => {};
    const stored = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    store.save = async (...given) => {
      await stored;
      return save(...given);
    };
    const editing = registry.register(NAME, { address: ADDRESS, weight: 5 });
    await pass(601_000);
    goOn();
    await editing;
    await pass(5_000);
    expect(follower.take()).toEqual(['a expired', 'a edited', 'a holds again']);
    expect(registry.instance(NAME).instance.weight).toBe(5);
    expect(await store.load('default')).toHaveLength(1);
  });

  test('whose removal cannot be stored is told, and tried again', async () => {
    const { registry, store, reports, follower, pass } = await withInstance();
    const { remove } = store;
    store.remove = async () => Promise.reject(new Error('the disk is full'));
    await pass(632_000);
    expect(reports).toEqual(['Expired instances could not be removed: the disk is full']);
    expect(registry.instance(NAME).leaseMs).toBe(0);
    store.remove = remove.bind(store);
    await pass(601_000);
    expect(follower.take()).toEqual(['a expired', 'a left: expired']);
  });
});

describe('a heartbeat', () => {
  test('is heard with what it says, and answered with what the listener commands', async () => {
    const { listener, beat, registry, pass } = await withInstance();
    await pass(5_000);
    expect(beat({ state: 'paused', pending: 3, load: 0.5 })).toEqual({
      nextHeartbeatMs: 10_000,
      leaseMs: 30_000,
      commands: [],
    });
    listener.fenced = true;
    expect(beat()).toEqual({ nextHeartbeatMs: 2_000, leaseMs: 15_000, commands: ['pause'] });
    expect(listener.heardOf).toEqual([
      { state: 'paused', pending: 3, load: 0.5 },
      { state: 'up', pending: undefined, load: undefined },
    ]);
    expect(registry.instance(NAME).lastHeartbeatMs).toBe(5_000);
  });

  test.each([
    ['a seq that came before', { seq: 6 }],
    ['the same seq', { seq: 7 }],
    ['an earlier sent_at', { seq: 8, sentAt: 999 }],
  ])('out of order, with %s, is refused without effect', async (_, late) => {
    const { registry, listener, beat, pass } = await withInstance();
    beat({ seq: 7, sentAt: 1_000 });
    await pass(10_000);
    const leaseMs = registry.instance(NAME).leaseMs;
    expect(() => beat({ state: 'draining', ...late })).toThrow(code('HEARTBEAT_STALE'));
    expect(listener.heardOf).toHaveLength(1);
    expect(registry.instance(NAME)).toMatchObject({ leaseMs, lastHeartbeatMs: 0 });
    beat({ seq: 8, sentAt: 1_000 });
    beat();
    expect(listener.heardOf).toHaveLength(3);
  });

  test('of a program that started again is heard though it counts anew, also where it names no incarnation', async () => {
    const { registry, listener, beat } = await withInstance();
    beat({ seq: 500, sentAt: 50_000 });
    await registry.register(NAME, { address: ADDRESS });
    beat({ seq: 0, sentAt: 1_000 });
    expect(listener.heardOf).toHaveLength(2);
    await registry.register(NAME, { address: ADDRESS, incarnation: 5 });
    beat({ incarnation: 5, seq: 7 });
    await registry.register(NAME, { address: ADDRESS, incarnation: 5 });
    expect(() => beat({ incarnation: 5, seq: 7 })).toThrow(code('HEARTBEAT_STALE'));
  });

  test('from the future is refused with the difference, and does not shut out those that follow', async () => {
    const { listener, beat } = await withInstance();
    beat({ seq: 1, sentAt: 60_000 });
    expect(() => beat({ seq: 2, sentAt: 60_500 })).toThrow(
      expect.objectContaining({
        code: 'INVALID_REQUEST',
        errors: [expect.objectContaining({ pointer: '/sent_at', received: 'one that is 60500 ms ahead' })],
      }),
    );
    beat({ seq: 2 });
    expect(listener.heardOf).toHaveLength(2);
  });

  test('of an instance or incarnation that did not register asks it to', async () => {
    const { registry, beat } = await withInstance();
    expect(() => beat({}, { agentName: 'reports', instanceId: 'b' })).toThrow(code('INSTANCE_UNKNOWN'));
    beat({ incarnation: 5 });
    await registry.register(NAME, { address: ADDRESS, incarnation: 5 });
    expect(() => beat({ incarnation: 6 })).toThrow(code('INSTANCE_UNKNOWN'));
  });
});
