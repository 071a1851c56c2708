import { parentPort, workerData } from 'node:worker_threads';
import { asReachError } from '../errors.js';
import type { FromRecordThread, RecordPorts, RecordThreadData, ToRecordThread } from './record-messages.js';
import { SqliteFile } from './sqlite-file.js';
import { RECORD_MIGRATIONS } from './sqlite-record-schema.js';
import { SqliteRecordStore } from './sqlite-record-store.js';
import { SqliteTrendStore } from './sqlite-trend-store.js';

// The thread that has the file of records. From time to time SQLite waits for the disk, some 10 to 100 ms, and only
// this thread waits with it.

type Verb = (...args: readonly unknown[]) => Promise<unknown>;

function answer(message: FromRecordThread): void {
  parentPort?.postMessage(message);
}

async function answerWith(id: number, work: () => unknown): Promise<void> {
  try {
    answer({ id, result: await work() });
  } catch (thrown) {
    const { code, message } = asReachError(thrown);
    answer({ id, code, message });
  }
}

function serve(file: SqliteFile): void {
  const ports: RecordPorts = { records: new SqliteRecordStore(file), trends: new SqliteTrendStore(file) };
  parentPort?.on('message', (message: ToRecordThread | null) => {
    if (message === null) {
      file.close();
      parentPort?.close();
      return;
    }
    const { id, port, verb, args } = message;
    const store = ports[port] as unknown as Readonly<Record<string, Verb>>;
    void answerWith(id, () => store[verb]?.(...args));
  });
}

void answerWith(0, () => serve(SqliteFile.open((workerData as RecordThreadData).path, RECORD_MIGRATIONS)));
