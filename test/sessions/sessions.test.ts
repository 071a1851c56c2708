import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { SessionStore } from '../../src/sessions/session-store.js';
import { Sessions } from '../../src/sessions/sessions.js';
import { MemorySessionStore } from '../../src/storage/memory/session-store.js';
import { SqliteSessionStore } from '../../src/storage/sqlite/session-store.js';
import { SqliteFile } from '../../src/storage/sqlite/sqlite-file.js';
import { HandClock } from '../support/hand-clock.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const HOUR_MS = 3_600_000;

function sessionsOver(store: SessionStore) {
  const clock = new HandClock();
  return { sessions: new Sessions({ store, team: 'default', clock }), clock };
}

async function sqliteStore(): Promise<SessionStore> {
  const file = SqliteFile.open(join(await temporaryFolder(), 'store.db'));
  onTestFinished(() => file.close());
  return new SqliteSessionStore(file);
}

/** A store of which no call ever ends. */
const HANGING = new Proxy({} as SessionStore, { get: () => () => new Promise(() => {}) });

const code = (expected: string) => expect.objectContaining({ code: expected });

describe.each([
  ['memory', async () => new MemorySessionStore()],
  ['SQLite', sqliteStore],
] as const)('sessions in %s', (_, open) => {
  test('a session write from two places: exactly one wins at each revision', async () => {
    const { sessions } = sessionsOver(await open());
    for (let revision = 0; revision < 5; revision += 1) {
      const writes = ['one', 'other'].map((summary) => sessions.replace('s', { summary }, revision));
      const outcomes = await Promise.allSettled(writes);
      const [won] = outcomes.filter(({ status }) => status === 'fulfilled');
      const lost = outcomes.filter(({ status }) => status === 'rejected');
      expect(won).toMatchObject({ value: { revision: revision + 1 } });
      expect(lost).toEqual([{ status: 'rejected', reason: code('REVISION_STALE') }]);
    }
  });

  test('a session write from two places: what is appended at once is all there', async () => {
    const { sessions } = sessionsOver(await open());
    const keys = Array.from({ length: 40 }, (_, index) => `key${index}`);
    const append = (key: string) =>
      sessions.update('s', (session) => ({ ...session, entities: { ...session.entities, [key]: true } }));
    await Promise.all(keys.map(append));
    const { entities, revision } = await sessions.get('s');
    expect(Object.keys(entities).sort()).toEqual(keys.sort());
    expect(revision).toBe(keys.length);
  });
});

test.each([
  ['chat', HOUR_MS],
  ['task', 24 * HOUR_MS],
] as const)('a %s is forgotten after its time, which begins anew with every change', async (kind, keptMs) => {
  const { sessions, clock } = sessionsOver(new MemorySessionStore());
  await sessions.replace('s', { kind, summary: 'x' }, 0);
  clock.pass(keptMs - 1);
  await sessions.update('s', (session) => session);
  clock.pass(keptMs - 1);
  expect(await sessions.get('s')).toMatchObject({ summary: 'x', revision: 2 });
  clock.pass(1);
  await expect(sessions.get('s')).rejects.toEqual(code('SESSION_UNKNOWN'));
  expect(await sessions.list(10)).toEqual([]);
  expect(await sessions.read('s')).toMatchObject({ summary: null });
});

test('who knows the revision of a session that is over cannot write over the new one', async () => {
  const { sessions, clock } = sessionsOver(new MemorySessionStore());
  await sessions.replace('s', { summary: 'old' }, 0);
  clock.pass(HOUR_MS);
  await expect(sessions.replace('s', {}, 1)).rejects.toEqual(code('REVISION_STALE'));
  expect(await sessions.replace('s', { summary: 'new' }, 0)).toMatchObject({ revision: 2 });
  await expect(sessions.replace('s', {}, 1)).rejects.toEqual(code('REVISION_STALE'));
});

test('a session holds 64 KB at most', async () => {
  const { sessions } = sessionsOver(new MemorySessionStore());
  await sessions.replace('s', { summary: 'x'.repeat(65_000) }, 0);
  const tooLarge = sessions.replace('s', { summary: '好'.repeat(22_000) }, 1);
  await expect(tooLarge).rejects.toEqual(code('BODY_TOO_LARGE'));
  expect(await sessions.get('s')).toMatchObject({ revision: 1 });
});

test('a store that hangs is waited for 100 ms to read, and a second to write', async () => {
  const { sessions, clock } = sessionsOver(HANGING);
  let ended: string[] = [];
  const note = (name: string, work: Promise<unknown>) =>
    work.catch(({ code }: { code: string }) => {
      ended = [...ended, `${name} ${code}`];
    });
  const both = [
    note('read', sessions.read('s')),
    note(
      'update',
      sessions.update('s', (session) => session),
    ),
  ];
  clock.pass(99);
  await Promise.resolve();
  expect(ended).toEqual([]);
  clock.pass(1);
  await both[0];
  expect(ended).toEqual(['read DEADLINE_EXCEEDED']);
  clock.pass(900);
  await both[1];
  expect(ended).toEqual(['read DEADLINE_EXCEEDED', 'update DEADLINE_EXCEEDED']);
});
