import { rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite';
import { ReachError } from '../../errors.js';
import { asStoreError, type Owner, ownerFile, unreadable } from './errors.js';
import { backUp } from './migration-backup.js';
import { MIGRATIONS } from './schema.js';

/** "Reac" in ASCII: tells our files from other programs' (https://sqlite.org/pragma.html#pragma_application_id). */
const APPLICATION_ID = 0x52_65_61_63;

/**
 * One SQLite file, open in one process and on one of its threads.
 * A transaction is on the disk when `transaction` returns: it survives `kill -9` and a loss of power.
 * Whatever SQLite refuses leaves as STORE_UNAVAILABLE with one sentence; after `close`, CLOSED.
 */
export class SqliteFile {
  readonly path: string;
  readonly #db: DatabaseSyncInstance;
  readonly #inode: bigint | undefined;
  #fault: string | undefined;

  private constructor(path: string, db: DatabaseSyncInstance) {
    this.path = path;
    this.#db = db;
    this.#inode = inodeOf(path);
  }

  /**
   * Opens the file, or makes it, and brings its tables to the newest schema; one of an older schema is copied before.
   * `migrations`: the steps to it.
   * @throws ReachError STORE_UNAVAILABLE where it is in use, damaged, of another program or of a newer version.
   */
  static open(path: string, migrations: readonly string[] = MIGRATIONS): SqliteFile {
    let db: DatabaseSyncInstance | undefined;
    let isOurs = false;
    try {
      db = new DatabaseSync(path);
      const version = claim(db, path, migrations.length);
      isOurs = true;
      if (version > 0 && version < migrations.length) backUp(db, path, version);
      // A write is acknowledged when it is on the disk: FULL syncs the log at each commit, and fullfsync makes
      // macOS empty the drive's own cache as well.
      db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON');
      migrate(db, migrations);
      noteOwner(path);
      return new SqliteFile(path, db);
    } catch (thrown) {
      try {
        // A disk may be full, and have room when it is tried again. Nothing is changed in what is not ours.
        if (db?.isOpen && isOurs) giveBack(db);
      } catch {
        // Of the two faults the first is the one to tell.
      } finally {
        if (db?.isOpen) db.close();
      }
      throw asStoreError(path, thrown);
    }
  }

  /**
   * The version of the schema of a file, 0 where there is none or an empty one. Changes nothing.
   * @throws ReachError STORE_UNAVAILABLE where it is in use, damaged, of another program or of a newer version
   */
  static versionOf(path: string, migrations: readonly string[]): number {
    if (inodeOf(path) === undefined) return 0;
    let db: DatabaseSyncInstance | undefined;
    try {
      db = new DatabaseSync(path, { readOnly: true });
      return ownVersion(db, path, migrations.length);
    } catch (thrown) {
      throw asStoreError(path, thrown);
    } finally {
      if (db?.isOpen) db.close();
    }
  }

  /** Compiles a statement; it is run inside `read` or `transaction`, where its faults are told apart. */
  prepare(sql: string): StatementSyncInstance {
    return this.#db.prepare(sql);
  }

  read<T>(work: () => T): T {
    return this.#guarded(work);
  }

  /** Gives the rows of a statement as they are taken. */
  *rows(statement: StatementSyncInstance): Generator<unknown> {
    const rows = this.#guarded(() => statement.iterate());
    try {
      for (;;) {
        const { done, value } = this.#guarded(() => rows.next());
        if (done === true) return;
        yield value;
      }
    } finally {
      // Who takes no more would leave the statement open, and the file with it.
      rows.return?.();
    }
  }

  /**
   * As `transaction`, for what can be made anew: the disk is not waited for. Where the machine, not only the
   * process, goes down soon after, it may be gone, and nothing else with it.
   */
  soon<T>(work: () => T): T {
    return this.#guarded(() => {
      this.#db.exec('PRAGMA synchronous = NORMAL');
      try {
        return this.#committed(work);
      } finally {
        this.#db.exec('PRAGMA synchronous = FULL');
      }
    });
  }

  /** Runs `work` in a transaction: all of it is stored, or, where it throws, nothing. */
  transaction<T>(work: () => T): T {
    return this.#guarded(() => this.#committed(work));
  }

  #committed<T>(work: () => T): T {
    // On a file that was deleted or replaced under us everything would succeed, and be gone.
    if (inodeOf(this.path) !== this.#inode) {
      throw new ReachError('STORE_UNAVAILABLE', `${this.path} was deleted or replaced while it was in use.`);
    }
    this.#db.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#db.exec('COMMIT');
      return result;
    } catch (thrown) {
      // SQLite has rolled back by itself where the disk is full or failed.
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw thrown;
    }
  }

  /** The sentence of the last access where that failed. */
  get fault(): string | undefined {
    return this.#fault;
  }

  close(): void {
    if (!this.#db.isOpen) return;
    rmSync(ownerFile(this.path), { force: true });
    try {
      giveBack(this.#db);
    } catch (thrown) {
      throw asStoreError(this.path, thrown);
    } finally {
      this.#db.close();
    }
  }

  #guarded<T>(work: () => T): T {
    if (!this.#db.isOpen) throw new ReachError('CLOSED', `${this.path} has been closed.`);
    try {
      const result = work();
      this.#fault = undefined;
      return result;
    } catch (thrown) {
      const error = asStoreError(this.path, thrown);
      if (error instanceof ReachError && error.code === 'STORE_UNAVAILABLE') this.#fault = error.message;
      throw error;
    }
  }
}

/** Tells a file from another of the same name; undefined where there is none. */
function inodeOf(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}

/**
 * Takes the file for this process alone and makes sure that it is ours before anything in it is changed.
 * The lock is the operating system's: it goes with the process that holds it, so none is ever stale. Gives the version
 * of its schema.
 */
function claim(db: DatabaseSyncInstance, path: string, newestVersion: number): number {
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  db.exec('BEGIN EXCLUSIVE');
  const version = ownVersion(db, path, newestVersion);
  db.exec('COMMIT');
  return version;
}

/** The version of the schema. @throws ReachError STORE_UNAVAILABLE where the file is not ours, or newer than we are */
function ownVersion(db: DatabaseSyncInstance, path: string, newestVersion: number): number {
  const application = pragma(db, 'application_id');
  const tables = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number };
  const version = schemaVersion(db);
  if (application !== APPLICATION_ID && (application !== 0 || tables.count > 0)) {
    throw new ReachError('STORE_UNAVAILABLE', unreadable(path, 'it belongs to another program'));
  }
  if (version > newestVersion) {
    const known = `its schema has version ${version}, and this one knows ${newestVersion}`;
    throw new ReachError('STORE_UNAVAILABLE', `${path} was written by a newer Agent-Reach (${known}).`);
  }
  return version;
}

/**
 * Gives the lock back by hand, which needs a file that has left WAL, and a read: the binding finalises a statement
 * only when it is collected, and until then SQLite keeps a closed connection and its lock.
 */
function giveBack(db: DatabaseSyncInstance): void {
  db.exec('PRAGMA journal_mode = DELETE; PRAGMA locking_mode = NORMAL; SELECT 1 FROM sqlite_schema');
}

function migrate(db: DatabaseSyncInstance, migrations: readonly string[]): void {
  for (const [index, sql] of migrations.entries()) {
    if (index < schemaVersion(db)) continue;
    db.exec(`
      BEGIN EXCLUSIVE;
      ${sql}
      PRAGMA application_id = ${APPLICATION_ID};
      PRAGMA user_version = ${index + 1};
      COMMIT;
    `);
  }
}

function schemaVersion(db: DatabaseSyncInstance): number {
  return pragma(db, 'user_version');
}

function pragma(db: DatabaseSyncInstance, name: 'application_id' | 'user_version'): number {
  const row = db.prepare(`PRAGMA ${name}`).get() as Record<typeof name, number>;
  return row[name];
}

function noteOwner(path: string): void {
  const startedAt = new Date(performance.timeOrigin).toISOString();
  try {
    writeFileSync(ownerFile(path), JSON.stringify({ pid: process.pid, startedAt } satisfies Owner));
  } catch {
    // The note only serves the sentence that a second process gets; a full disk must not keep the store shut.
  }
}
