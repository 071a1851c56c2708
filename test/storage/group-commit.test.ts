import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { GroupCommit } from '../../src/storage/sqlite/group-commit.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function openedGroups() {
  const file = SqliteFile.open(join(await temporaryFolder(), 'a.db'), [
    'CREATE TABLE t (id INTEGER PRIMARY KEY);',
  ]);
  onTestFinished(() => file.close());
  const [add, all] = [file.prepare('INSERT INTO t VALUES (?)'), file.prepare('SELECT id FROM t ORDER BY id')];
  return {
    file,
    commits: new GroupCommit(file),
    add(id: number) {
      add.run(id);
      return id;
    },
    stored: () => file.read(() => (all.all() as { id: number }[]).map(({ id }) => id)),
  };
}

test('what comes at the same time is committed together, and each gets its own answer', async () => {
  const { file, commits, add, stored } = await openedGroups();
  const committed = vi.spyOn(file, 'transaction');
  const ids = Array.from({ length: 1_000 }, (_, id) => id);
  expect(await Promise.all(ids.map((id) => commits.transaction(() => add(id))))).toEqual(ids);
  expect(committed).toHaveBeenCalledTimes(1);
  expect(await commits.transaction(() => add(1_000))).toBe(1_000);
  expect(committed).toHaveBeenCalledTimes(2);
  expect(stored()).toHaveLength(1_001);
});

test('of those that come together, what throws is undone alone', async () => {
  const { commits, add, stored } = await openedGroups();
  const halfway = () => {
    add(2);
    throw new Error('not this one');
  };
  const outcomes = await Promise.allSettled([
    commits.transaction(() => add(1)),
    commits.transaction(halfway),
    commits.transaction(() => add(3)),
  ]);
  expect(outcomes).toEqual([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: new Error('not this one') },
    { status: 'fulfilled', value: 3 },
  ]);
  expect(stored()).toEqual([1, 3]);
});

test('what was asked for before the file was closed is refused, not forgotten', async () => {
  const { file, commits, add } = await openedGroups();
  const late = commits.transaction(() => add(1));
  file.close();
  await expect(late).rejects.toMatchObject({ code: 'CLOSED' });
});
