import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogueStore, StoredManifest } from '../../src/registry/catalogue.js';

/** A store for one test, and what closes it. */
export interface OpenedStore<Store> {
  readonly store: Store;
  close(): Promise<void>;
}

const stored = (agentName: string, manifestVersion: number, extra: object = {}): StoredManifest => ({
  agentName,
  manifestVersion,
  source: 'api',
  document: {
    agent_name: agentName,
    manifest_version: manifestVersion,
    capabilities: [{ id: 'do', name: 'Do' }],
    ...extra,
  },
});

const stale = expect.objectContaining({ code: 'MANIFEST_VERSION_STALE' });

/** What every CatalogueStore does, whatever it is kept in. `kept`: how many versions of an agent. */
export function catalogueStoreContract(
  name: string,
  kept: number,
  open: () => Promise<OpenedStore<CatalogueStore>>,
): void {
  describe(`${name} as a CatalogueStore`, () => {
    let opened: OpenedStore<CatalogueStore>;
    let store: CatalogueStore;

    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    test('is empty at version 0 where nothing was ever saved', async () => {
      expect(await store.load('default')).toEqual({ version: 0, manifests: [] });
      expect(await store.newest('default', 'a')).toBeUndefined();
    });

    test('gives back what was saved, the newest of each agent only', async () => {
      expect(await store.save('default', stored('a', 1), null)).toBe(1);
      expect(await store.save('default', { ...stored('b', 7), source: 'folder' }, null)).toBe(2);
      expect(await store.save('default', stored('a', 3), 1)).toBe(3);
      const { version, manifests } = await store.load('default');
      expect(version).toBe(3);
      expect(manifests.toSorted((x, y) => x.agentName.localeCompare(y.agentName))).toEqual([
        stored('a', 3),
        { ...stored('b', 7), source: 'folder' },
      ]);
    });

    test('keeps any text and number of a document as it is', async () => {
      const document = {
        metadata: {
          text: 'nul \u0000 after, lone \ud800 surrogate, 周报 🧾 \u2028',
          prototype: JSON.parse('{"__proto__": {"a": 1}, "constructor": 2}'),
          numbers: [0.1, 1e300, Number.MAX_SAFE_INTEGER],
          empty: [{}, [], '', null, false],
        },
      };
      const manifest = stored('a', Number.MAX_SAFE_INTEGER, document);
      await store.save('default', manifest, null);
      expect((await store.load('default')).manifests).toEqual([manifest]);
    });

    test('is not changed by what happens to a document later', async () => {
      const manifest = stored('a', 1, { metadata: { owner: 'us' } });
      await store.save('default', manifest, null);
      Object.assign(manifest.document.metadata ?? {}, { owner: 'them' });
      const [loaded] = (await store.load('default')).manifests;
      expect(loaded?.document.metadata).toEqual({ owner: 'us' });
      Object.assign(loaded?.document.metadata ?? {}, { owner: 'them' });
      expect((await store.load('default')).manifests[0]?.document.metadata).toEqual({ owner: 'us' });
    });

    test.each([
      ['that is not there', async () => {}, 1],
      ['that is there, as a new one', () => store.save('default', stored('a', 2), null), null],
      ['of another version', () => store.save('default', stored('a', 2), null), 1],
    ])('refuses to save over an agent %s', async (_, before, expectedVersion) => {
      await before();
      const untouched = await store.load('default');
      await expect(store.save('default', stored('a', 9), expectedVersion)).rejects.toEqual(stale);
      expect(await store.load('default')).toEqual(untouched);
    });

    test('lets one of two writers win that expect the same version', async () => {
      await store.save('default', stored('a', 1), null);
      const writes = [2, 3, 4, 5].map((version) => store.save('default', stored('a', version), 1));
      const outcomes = await Promise.allSettled(writes);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect((await store.load('default')).version).toBe(2);
    });

    test('saves the same version again for a new owner', async () => {
      await store.save('default', stored('a', 1), null);
      expect(await store.save('default', { ...stored('a', 1), source: 'folder' }, 1)).toBe(2);
      expect((await store.load('default')).manifests).toEqual([{ ...stored('a', 1), source: 'folder' }]);
    });

    test('removes an agent under the same condition', async () => {
      await store.save('default', stored('a', 2), null);
      await expect(store.remove('default', 'a', 1)).rejects.toEqual(stale);
      expect(await store.remove('default', 'a', 2)).toBe(2);
      expect(await store.load('default')).toEqual({ version: 2, manifests: [] });
      await expect(store.remove('default', 'a', 2)).rejects.toEqual(stale);
      expect((await store.load('default')).version).toBe(2);
    });

    test('remembers the newest version of a removed agent and never goes behind it', async () => {
      await store.save('default', stored('a', 5), null);
      expect(await store.newest('default', 'a')).toEqual({ manifest: stored('a', 5), removed: false });
      await store.remove('default', 'a', 5);
      expect(await store.newest('default', 'a')).toEqual({ manifest: stored('a', 5), removed: true });
      await expect(store.save('default', stored('a', 4), null)).rejects.toEqual(stale);
      expect(await store.save('default', stored('a', 5), null)).toBe(3);
      expect(await store.newest('default', 'a')).toEqual({ manifest: stored('a', 5), removed: false });
    });

    test('keeps teams apart', async () => {
      await store.save('red', stored('a', 1), null);
      await store.save('red', stored('a', 2), 1);
      expect(await store.load('blue')).toEqual({ version: 0, manifests: [] });
      expect(await store.save('blue', stored('a', 1), null)).toBe(1);
      expect((await store.load('red')).manifests).toEqual([stored('a', 2)]);
      await store.remove('blue', 'a', 1);
      expect((await store.load('red')).version).toBe(2);
    });

    test('tells the versions of an agent, newest first, and gives each of them back', async () => {
      expect(await store.history('default', 'a', 10)).toEqual([]);
      const startedAt = Date.now();
      await store.save('default', stored('a', 1, { metadata: { n: 1 } }), null);
      await store.save('default', { ...stored('b', 1), source: 'folder' }, null);
      await store.save('default', { ...stored('a', 4), source: 'folder' }, 1);
      const history = await store.history('default', 'a', 10);
      expect(history).toEqual([
        {
          manifestVersion: 4,
          source: 'folder',
          publishedAtMs: expect.any(Number),
          catalogueVersion: 3,
          current: true,
        },
        {
          manifestVersion: 1,
          source: 'api',
          publishedAtMs: expect.any(Number),
          catalogueVersion: 1,
          current: false,
        },
      ]);
      for (const { publishedAtMs } of history) {
        // A file's clock counts in whole ms, and this one's may be a little apart.
        expect(publishedAtMs).toBeGreaterThan(startedAt - 1_000);
        expect(publishedAtMs).toBeLessThan(Date.now() + 1_000);
      }
      expect(await store.history('default', 'a', 1)).toEqual(history.slice(0, 1));
      expect(await store.history('other', 'a', 10)).toEqual([]);
      expect(await store.version('default', 'a', 1)).toEqual(stored('a', 1, { metadata: { n: 1 } }));
      expect(await store.version('default', 'a', 4)).toEqual({ ...stored('a', 4), source: 'folder' });
      for (const [team, agent, version] of [
        ['default', 'a', 2],
        ['default', 'c', 1],
        ['other', 'a', 1],
      ] as const) {
        expect(await store.version(team, agent, version)).toBeUndefined();
      }
    });

    test('of a removed agent no version is the current one, until it is saved again', async () => {
      await store.save('default', stored('a', 1), null);
      await store.save('default', stored('a', 2), 1);
      await store.remove('default', 'a', 2);
      const versions = async () =>
        (await store.history('default', 'a', 10)).map(({ manifestVersion, catalogueVersion, current }) => [
          manifestVersion,
          catalogueVersion,
          current,
        ]);
      expect(await versions()).toEqual([
        [2, 2, false],
        [1, 1, false],
      ]);
      expect(await store.version('default', 'a', 2)).toEqual(stored('a', 2));
      await store.save('default', stored('a', 2), null);
      expect(await versions()).toEqual([
        [2, 4, true],
        [1, 1, false],
      ]);
    });

    test(`keeps the newest ${kept} versions of each agent`, async () => {
      await store.save('default', stored('other', 1), null);
      for (let version = 1; version <= kept + 3; version++) {
        await store.save('default', stored('a', version * 2), version === 1 ? null : version * 2 - 2);
      }
      const history = await store.history('default', 'a', 1_000);
      expect(history.map(({ manifestVersion }) => manifestVersion)).toEqual(
        Array.from({ length: kept }, (_, index) => (kept + 3 - index) * 2),
      );
      expect(await store.version('default', 'a', 6)).toBeUndefined();
      expect(await store.version('default', 'a', 8)).toEqual(stored('a', 8));
      expect(await store.history('default', 'other', 1_000)).toHaveLength(1);
    });
  });
}
