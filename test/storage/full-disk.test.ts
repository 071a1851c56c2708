import { expect, onTestFinished, test } from 'vitest';
import { openStores } from '../../src/storage/open-stores.js';
import { loadedRegistry, manifestOf } from '../registry/registry-fixture.js';
import { describeWithSmallDisk, smallDisk } from '../support/small-disk.js';

const full = (what: RegExp) =>
  expect.objectContaining({ code: 'STORE_UNAVAILABLE', message: expect.stringMatching(what) });

const large = (version: number) => ({
  ...manifestOf('large', version),
  metadata: { text: 'x'.repeat(100_000) },
});

describeWithSmallDisk('a disk that is full', () => {
  test('refuses the change that does not fit, keeps every one before it, and takes changes again with room', async () => {
    const disk = await smallDisk();
    const { data } = disk;
    const stores = await openStores({ store: null, data });
    const { registry } = await loadedRegistry(stores.catalogue);
    await registry.publish(manifestOf('small', 1), 'api');
    const makeRoom = await disk.fill();
    let version = 0;
    const publishing = (async () => {
      for (; version < 100; version++) await registry.publish(large(version + 1), 'api');
    })();
    await expect(publishing).rejects.toEqual(full(/^The disk that holds .* is full; nothing was changed\.$/));
    const { snapshot } = registry;
    expect(snapshot.version).toBe(version + 1);
    expect(stores.status()).toMatchObject({ state: 'failed', detail: expect.stringMatching(/is full/) });
    await expect(registry.remove('small', 'api')).rejects.toEqual(full(/is full/));
    expect(registry.snapshot).toBe(snapshot);
    // What is there can still be read.
    expect((await stores.catalogue.load('default')).version).toBe(snapshot.version);
    expect(await registry.history('small', 10)).toHaveLength(1);

    await makeRoom();
    await registry.publish(large(version + 1), 'api');
    expect(stores.status().state).toBe('ok');
    const kept = await stores.catalogue.load('default');
    await stores.close();
    const again = await openStores({ store: null, data });
    onTestFinished(() => again.close());
    expect(await again.catalogue.load('default')).toEqual(kept);
    expect(kept.manifests.map(({ agentName }) => agentName)).toEqual(['large', 'small']);
  });

  test('at the start is one sentence, and does no harm to what is kept', async () => {
    const disk = await smallDisk();
    const { data } = disk;
    const makeRoomForNew = await disk.fill();
    await expect(openStores({ store: null, data })).rejects.toEqual(full(/is full|cannot be/));
    await makeRoomForNew();
    const stores = await openStores({ store: null, data });
    const { registry } = await loadedRegistry(stores.catalogue);
    await registry.publish(manifestOf('small', 1), 'api');
    await stores.close();

    const makeRoom = await disk.fill();
    const opened = await openStores({ store: null, data }).then(
      (onFull) => onFull.catalogue.load('default').finally(() => onFull.close()),
      (thrown: unknown) => thrown,
    );
    // A file that needs no repair may be readable all the same.
    expect([full(/is full|cannot be used/), { version: 1, manifests: [expect.anything()] }]).toContainEqual(
      opened,
    );
    await makeRoom();
    const again = await openStores({ store: null, data });
    onTestFinished(() => again.close());
    expect((await again.catalogue.load('default')).manifests).toMatchObject([{ agentName: 'small' }]);
  });
});
