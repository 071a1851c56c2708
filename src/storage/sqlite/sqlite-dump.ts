import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { StatementSyncInstance } from '@photostructure/sqlite';
import { ReachError } from '../../errors.js';
import { makeDataFolder } from '../data-folder.js';
import { DUMP_KINDS, type DumpRow, type DumpRows, type StoreDump } from '../store-dump.js';
import { DATA_FILES, type DataFile } from './data-files.js';
import { SqliteDecisionDump } from './decision-dump.js';
import { type Column, DUMP_TABLES } from './dump-tables.js';
import { unreadable } from './errors.js';
import { endImport, importingInto, markImport } from './import-mark.js';
import { SqliteFile } from './sqlite-file.js';

type PlainRow = Exclude<DumpRow, { kind: 'decision' }>;
/** Any of the tables: a row of a kind goes only to the table of that kind. */
interface AnyTable {
  readonly file: DataFile;
  readonly select: string;
  readonly insert: string;
  readonly rowOf: (columns: object) => DumpRows[PlainRow['kind']];
  readonly columnsOf: (team: string, row: PlainRow['row']) => readonly Column[];
}

const tableOf = (kind: PlainRow['kind']) => DUMP_TABLES[kind] as unknown as AnyTable;

/** The files of a data folder as a whole. */
export class SqliteDump implements StoreDump {
  readonly place: string;
  readonly #files: Readonly<Record<DataFile, SqliteFile>>;
  readonly #inserts = new Map<string, StatementSyncInstance>();
  readonly #point: StatementSyncInstance;
  readonly #decisions: SqliteDecisionDump;

  private constructor(folder: string, files: Readonly<Record<DataFile, SqliteFile>>) {
    this.place = folder;
    this.#files = files;
    this.#decisions = new SqliteDecisionDump(files.records);
    this.#point = files.store.prepare(
      'INSERT INTO current_manifests (team, agent_name, manifest_version) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    );
  }

  /** `isNew`: the folder is made where it is missing. @throws ReachError STORE_UNAVAILABLE */
  static open(folder: string, { isNew }: { readonly isNew: boolean }): SqliteDump {
    if (isNew) makeDataFolder(folder);
    else if (!existsSync(join(folder, DATA_FILES.store.fileName)))
      throw new ReachError('STORE_UNAVAILABLE', `There is no store in ${folder}.`);
    const opened: SqliteFile[] = [];
    const open = (file: DataFile) => {
      const { fileName, migrations } = DATA_FILES[file];
      opened.push(SqliteFile.open(join(folder, fileName), migrations));
      return opened.at(-1) as SqliteFile;
    };
    try {
      const files = { store: open('store'), records: open('records') };
      return new SqliteDump(folder, { ...files, requests: open('requests'), labels: open('labels') });
    } catch (thrown) {
      for (const file of opened) file.close();
      throw thrown;
    }
  }

  async *dump(): AsyncGenerator<DumpRow> {
    for (const kind of DUMP_KINDS) {
      if (kind === 'decision') yield* this.#decisions.dump();
      else yield* this.#dumpOf(kind);
    }
  }

  async importing(): Promise<string | undefined> {
    return importingInto(this.place);
  }

  async begin(importId: string): Promise<void> {
    markImport(this.place, importId);
  }

  async restore(rows: readonly DumpRow[]): Promise<void> {
    const [first] = rows;
    if (first === undefined) return;
    const file = this.#files[first.kind === 'decision' ? 'records' : DUMP_TABLES[first.kind].file];
    file.transaction(() => {
      for (const row of rows) {
        if (row.kind === 'decision') this.#decisions.restore(row.team, row.row);
        else this.#restore(row);
      }
    });
  }

  async end(): Promise<void> {
    endImport(this.place);
  }

  async close(): Promise<void> {
    for (const file of Object.values(this.#files)) file.close();
  }

  *#dumpOf(kind: PlainRow['kind']): Generator<DumpRow> {
    const { file, select, rowOf } = tableOf(kind);
    const opened = this.#files[file];
    for (const columns of opened.rows(opened.prepare(select))) {
      const { team } = columns as { team: string };
      yield { kind, team, row: this.#parsed(opened, kind, () => rowOf(columns as object)) } as DumpRow;
    }
  }

  #restore({ kind, team, row }: PlainRow): void {
    const { file, insert, columnsOf } = tableOf(kind);
    let statement = this.#inserts.get(kind);
    if (statement === undefined) {
      statement = this.#files[file].prepare(insert);
      this.#inserts.set(kind, statement);
    }
    statement.run(...columnsOf(team, row));
    if (kind === 'manifest' && row.current) this.#point.run(team, row.agentName, row.manifestVersion);
  }

  #parsed<Row>(file: SqliteFile, kind: string, parse: () => Row): Row {
    try {
      return parse();
    } catch (cause) {
      throw new ReachError('STORE_UNAVAILABLE', unreadable(file.path, `a ${kind} is no JSON`), { cause });
    }
  }
}
