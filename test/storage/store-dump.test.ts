import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { dumpLines, restoreLines } from '../../src/storage/dump-file.js';
import { openDump } from '../../src/storage/open-dump.js';
import { openStores } from '../../src/storage/open-stores.js';
import { DUMP_KINDS, type DumpRow, type StoreDump } from '../../src/storage/store-dump.js';
import type { Stores } from '../../src/storage/stores.js';
import { record } from '../record/records.js';
import { describeWithRedis, freshRedisUrl } from '../support/redis.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { fillStores, TEAM } from './filled-stores.js';

/** Where a store is. */
interface Place {
  readonly store: string | null;
  readonly data: string | null;
}

const inFolder = async (): Promise<Place> => ({ store: null, data: join(await temporaryFolder(), 'data') });
const inRedis = async (): Promise<Place> => ({ store: freshRedisUrl(), data: null });

async function withStores<Result>(place: Place, work: (stores: Stores) => Promise<Result>): Promise<Result> {
  const stores = await openStores(place);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

async function withDump<Result>(place: Place, work: (dump: StoreDump) => Promise<Result>): Promise<Result> {
  const dump = await openDump(place, [TEAM], { isNew: true });
  try {
    return await work(dump);
  } finally {
    await dump.close();
  }
}

const exported = (place: Place) =>
  withDump(place, async (dump) => {
    const lines: string[] = [];
    for await (const line of dumpLines(dump, '1.2.3', 0)) lines.push(line);
    return lines;
  });
async function* each(lines: readonly string[]): AsyncGenerator<string> {
  yield* lines;
}
const imported = (place: Place, lines: readonly string[]) =>
  withDump(place, (dump) => restoreLines(() => each(lines), dump));

const inOrder = (row: DumpRow) =>
  JSON.stringify(row, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

/** All rows, in whatever order they were written. */
const rowsIn = (lines: readonly string[]) =>
  lines
    .slice(1, -1)
    .map((line) => JSON.parse(line) as DumpRow)
    .sort((one, other) => (inOrder(one) < inOrder(other) ? -1 : 1));

async function filled(place: Place): Promise<string[]> {
  await withStores(place, fillStores);
  return exported(place);
}

function storeDumpContract(name: string, open: () => Promise<Place>): void {
  const filledFolder = async () => filled(await inFolder());

  describe(`${name} as a StoreDump`, () => {
    test('gives some of every kind, and the same again after a way through another place', async () => {
      const [one, other, again] = [await open(), await inFolder(), await open()];
      const lines = await filled(one);
      await imported(other, lines);
      const there = await exported(other);
      expect(rowsIn(there)).toEqual(rowsIn(lines));
      await imported(again, there);
      expect(rowsIn(await exported(again))).toEqual(rowsIn(lines));
    });

    test('serves what it was given as it was', async () => {
      const lines = await filledFolder();
      const place = await open();
      await imported(place, lines);
      await withStores(place, async (stores) => {
        const { catalogue, instances, outbox, tickets, tuning, records, trends, vectors, labels } = stores;
        const { version, manifests } = await catalogue.load(TEAM);
        expect(version).toBeGreaterThanOrEqual(4);
        expect(manifests).toMatchObject([{ agentName: 'a', manifestVersion: 3 }]);
        expect(await catalogue.newest(TEAM, 'removed')).toMatchObject({ removed: true });
        expect(await catalogue.history(TEAM, 'a', 10)).toMatchObject([
          { manifestVersion: 3 },
          { manifestVersion: 1 },
        ]);
        const loaded = await instances.load(TEAM);
        expect(loaded.map(({ addrVersion }) => addrVersion).sort()).toEqual([5, 6]);
        const [first] = loaded;
        // The sequence goes on behind what was given.
        if (first !== undefined)
          expect(
            await instances.save(TEAM, { ...first, address: 'http://10.0.0.9:1' }, first.addrVersion),
          ).toBe(7);
        const session = await stores.sessions.find(TEAM, '会话 "\'');
        expect(session).toMatchObject({ revision: 2, summary: 'later', intent: 'nul \0 after' });
        expect(session && (await stores.sessions.save(TEAM, { ...session, revision: 3 }))).toBe(true);
        expect(await outbox.waiting(TEAM)).toBe(2);
        expect(await outbox.take(TEAM, 1_000, 2_000, [])).toMatchObject({
          messageId: 'm-1',
          secretRef: 'env:SECRET',
        });
        expect(await outbox.take(TEAM, 1_000, 2_000, [])).toBeUndefined();
        expect(await outbox.find(TEAM, 'm-2')).toMatchObject({ attempts: 1, lastError: 'refused' });
        expect(await outbox.find(TEAM, 'm-3')).toMatchObject({ state: 'taken' });
        expect(await tickets.unresolved(TEAM)).toBe(2);
        expect(await tickets.unresolvedOf(TEAM, 't-3')).toBeUndefined();
        expect(await tickets.claimsOver(TEAM, 9_000)).toMatchObject([{ ticketId: 't-2' }]);
        expect((await tuning.versions(TEAM)).map(({ rolledBackAtMs }) => rolledBackAtMs)).toEqual([
          3_000,
          null,
        ]);
        expect(await tuning.shadow(TEAM)).toMatchObject({ sinceMs: 4_000 });
        const all = { source: undefined, fromMs: 0, after: undefined, limit: 10 };
        expect(await labels.page(TEAM, all)).toHaveLength(2);
        expect(await records.shadowTallies(TEAM, 0)).toMatchObject([{ compared: 2, differing: 1 }]);
        const differing = await records.differing(TEAM, { fromMs: 0, before: undefined, limit: 10 });
        expect(differing.map(({ routeId }) => routeId)).toEqual([record(2).routeId]);
        expect(await trends.rows(TEAM, 'a', 'hour', 0)).toMatchObject([
          { samples: 2, reachabilitySum: 0.1 + 1 / 3 },
        ]);
        expect((await vectors.getMany('model', ['text-3'])).get('text-3')).toEqual(
          new Float32Array([3, 1 / 3]),
        );
      });
    });

    test('goes on with an import that was broken off, and until then nobody opens it', async () => {
      const lines = await filledFolder();
      const place = await open();
      const slices: number[] = [];
      await expect(
        withDump(place, async (dump) => {
          const restore = dump.restore.bind(dump);
          dump.restore = async (rows) => {
            slices.push(rows.length);
            if (slices.length === 12) throw new Error('killed here');
            await restore(rows);
          };
          await restoreLines(() => each(lines), dump);
        }),
      ).rejects.toThrow('killed here');
      const brokenOff = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('broken off') };
      await expect(openStores(place)).rejects.toMatchObject(brokenOff);
      await expect(exported(place)).rejects.toMatchObject(brokenOff);
      const otherFile = [lines[0]?.replace(/"id":"[^"]+"/, '"id":"another"') ?? '', ...lines.slice(1)];
      await expect(imported(place, otherFile)).rejects.toThrow(/Another file/);
      await imported(place, lines);
      expect(rowsIn(await exported(place))).toEqual(rowsIn(lines));
    });

    test('takes nothing where it holds something', async () => {
      const place = await open();
      const lines = await filled(place);
      await expect(imported(place, lines)).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('is not empty'),
      });
      await withStores(place, async ({ labels }) => {
        expect(await labels.remove(TEAM, 'nobody')).toBe(false);
      });
    });
  });
}

storeDumpContract('SQLite', inFolder);
describeWithRedis('in a Redis', () => storeDumpContract('Redis', inRedis));

test('a file tells its format, from where it is, and how many there are of every kind', async () => {
  const place = await inFolder();
  const lines = await filled(place);
  expect(JSON.parse(lines[0] ?? '')).toEqual({
    format: 'agent-reach-store',
    formatVersion: 1,
    id: expect.any(String),
    version: '1.2.3',
    at: '1970-01-01T00:00:00.000Z',
    from: place.data,
  });
  const { counts } = JSON.parse(lines.at(-1) ?? '');
  expect(Object.keys(counts).sort()).toEqual(DUMP_KINDS.filter((kind) => kind !== 'work').sort());
  expect(counts).toMatchObject({ manifest: 3, decision: 450, trend: 4, vector: 3 });
});

describe('a file that is not whole', () => {
  const refused = async (change: (lines: string[]) => readonly string[]) => {
    const lines = await filled(await inFolder());
    const place = await inFolder();
    const thrown = await imported(place, change(lines)).catch((error: unknown) => error);
    // Nothing was written.
    expect((await exported(place)).slice(1)).toEqual(['{"counts":{}}']);
    return thrown;
  };

  test.each<[string, (lines: string[]) => readonly string[], RegExp]>([
    ['is cut', (lines) => lines.slice(0, -1), /its end is missing/],
    ['is empty', () => [], /it is empty/],
    [
      'lost a line',
      (lines) => lines.filter((_, place) => place !== 5),
      /has \d+ lines of \w+, and \d+ were written/,
    ],
    [
      'has a line that is cut',
      (lines) => lines.map((line, at) => (at === 7 ? line.slice(0, 9) : line)),
      /line 8 is no/,
    ],
    ['goes on', (lines) => [...lines, lines[3] ?? ''], /comes after its end/],
    ['is of something else', () => ['{"intent":"x"}'], /first line is not that of an export/],
    [
      'is of a later format',
      (lines) => [(lines[0] ?? '').replace('"formatVersion":1', '"formatVersion":2')],
      /version 2/,
    ],
    [
      'has what nobody knows',
      (lines) => [lines[0] ?? '', '{"kind":"x","team":"t","row":{}}'],
      /line 2 is nothing/,
    ],
  ])('%s', async (_, change, why) => {
    expect(await refused(change)).toMatchObject({
      code: 'INVALID_REQUEST',
      message: expect.stringMatching(why),
    });
  });
});

test('an import that was begun is marked in the folder', async () => {
  const place = await inFolder();
  const dump = await openDump(place, [TEAM], { isNew: true });
  onTestFinished(() => dump.close());
  await dump.begin('an-import');
  expect(await readFile(join(place.data ?? '', 'importing'), 'utf8')).toBe('an-import');
  await dump.end();
  expect(await dump.importing()).toBeUndefined();
  await writeFile(join(place.data ?? '', 'importing'), 'other');
  expect(await dump.importing()).toBe('other');
});
