import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { InstanceStore, StoredInstance } from '../../src/registry/instance-store.js';
import type { Stores } from '../../src/storage/stores.js';

type Unversioned = Omit<StoredInstance, 'addrVersion'>;

const instance = (instanceId: string, extra: Partial<Unversioned> = {}): Unversioned => ({
  agentName: 'a',
  instanceId,
  address: 'http://10.0.0.1:9595',
  healthAddress: undefined,
  weight: 100,
  region: undefined,
  labels: {},
  version: undefined,
  incarnation: undefined,
  draining: false,
  ...extra,
});

const taken = expect.objectContaining({ code: 'INSTANCE_TAKEN' });

/** What every InstanceStore does, whatever it is kept in. */
export function instanceStoreContract(
  name: string,
  open: () => Promise<{ readonly stores: Stores; close(): Promise<void> }>,
): void {
  describe(`${name} as an InstanceStore`, () => {
    let stores: Stores;
    let store: InstanceStore;
    let close: () => Promise<void>;

    beforeEach(async () => {
      ({ stores, close } = await open());
      store = stores.instances;
    });
    afterEach(() => close());

    const saveInTurn = async (instances: readonly Unversioned[]) => {
      for (const each of instances) await store.save('default', each, null);
    };

    test('is empty where nothing was ever saved', async () => {
      expect(await store.load('default')).toEqual([]);
    });

    test('gives back all that was saved, any text as it is', async () => {
      const full = instance('b 周报 "\'; --', {
        healthAddress: 'http://10.0.0.1:9595/healthz',
        weight: 0,
        region: 'nul \u0000 after, lone \ud800 surrogate',
        labels: JSON.parse('{"__proto__": "a", "env": "🧾"}'),
        version: '',
        incarnation: Number.MAX_SAFE_INTEGER,
        draining: true,
      });
      await saveInTurn([instance('a'), full]);
      const loaded = await store.load('default');
      expect(loaded.toSorted((x, y) => x.addrVersion - y.addrVersion)).toStrictEqual([
        { ...instance('a'), addrVersion: 1 },
        { ...full, addrVersion: 2 },
      ]);
    });

    test('finds those that are there', async () => {
      await saveInTurn([instance('a'), instance('b'), instance('c')]);
      const names = ['c', 'nobody', 'a'].map((instanceId) => ({ agentName: 'a', instanceId }));
      const found = await store.find('default', names);
      expect(found.toSorted((x, y) => x.addrVersion - y.addrVersion)).toEqual([
        { ...instance('a'), addrVersion: 1 },
        { ...instance('c'), addrVersion: 3 },
      ]);
      expect(await store.find('other', names)).toEqual([]);
      expect(await store.find('default', [])).toEqual([]);
    });

    test('gives an address a new version where it is new, and only then', async () => {
      expect(await store.save('default', instance('a'), null)).toBe(1);
      expect(await store.save('default', instance('a', { weight: 5 }), 1)).toBe(1);
      const moved = await store.save('default', instance('a', { address: 'http://10.0.0.2' }), 1);
      // An edit may have taken a number too.
      expect([2, 3]).toContain(moved);
      expect(await store.load('default')).toMatchObject([{ address: 'http://10.0.0.2', addrVersion: moved }]);
    });

    test('counts in one sequence with the catalogue, over removals too', async () => {
      const manifest = {
        agentName: 'a',
        manifestVersion: 1,
        source: 'api' as const,
        document: { agent_name: 'a', capabilities: [{ id: 'do', name: 'Do' }] },
      };
      expect(await store.save('default', instance('a'), null)).toBe(1);
      expect(await stores.catalogue.save('default', manifest, null)).toBe(2);
      expect(await store.remove('default', [instance('a')])).toBe(3);
      expect(await store.save('default', instance('a'), null)).toBe(4);
      // Its last change was the second, and nobody is hindered from counting further.
      expect([2, 4]).toContain((await stores.catalogue.load('default')).version);
      expect(await stores.catalogue.remove('default', 'a', 1)).toBe(5);
      expect(await store.save('other', instance('a'), null)).toBe(1);
    });

    test.each([
      ['that is not there', null, 1],
      ['that is there, as a new one', instance('a'), null],
      ['with another version of its address', instance('a'), 7],
    ])('refuses to save an instance %s', async (_, before, expected) => {
      if (before !== null) await store.save('default', before, null);
      const untouched = await store.load('default');
      await expect(store.save('default', instance('a', { weight: 1 }), expected)).rejects.toEqual(taken);
      expect(await store.load('default')).toEqual(untouched);
    });

    test('lets one of several writers win that come with different addresses', async () => {
      const writes = [1, 2, 3, 4].map((last) =>
        store.save('default', instance('a', { address: `http://10.0.0.${last}` }), null),
      );
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(await store.load('default')).toMatchObject([{ addrVersion: 1 }]);
    });

    test('removes several at once, and does not mind those that are not there', async () => {
      await saveInTurn([instance('a'), instance('b'), instance('c')]);
      expect(
        await store.remove('default', [instance('a'), instance('c'), instance('d')]),
      ).toBeGreaterThanOrEqual(4);
      expect(await store.load('default')).toMatchObject([{ instanceId: 'b' }]);
    });

    test('keeps teams apart, and agents with the same ids', async () => {
      await saveInTurn([instance('a'), instance('a', { agentName: 'b' })]);
      await store.save('other', instance('a', { weight: 1 }), null);
      await store.remove('default', [instance('a')]);
      expect(await store.load('default')).toMatchObject([{ agentName: 'b' }]);
      expect(await store.load('other')).toMatchObject([{ agentName: 'a', weight: 1 }]);
    });

    test('is not changed by what happens to an instance later', async () => {
      const labels = { env: 'prod' };
      await store.save('default', instance('a', { labels }), null);
      labels.env = 'test';
      const [loaded] = await store.load('default');
      expect(loaded?.labels).toEqual({ env: 'prod' });
      Object.assign(loaded?.labels ?? {}, { env: 'test' });
      expect((await store.load('default'))[0]?.labels).toEqual({ env: 'prod' });
    });
  });
}
