import { parentPort, workerData } from 'node:worker_threads';
import { asReachError } from '../../errors.js';
import { DATA_FILES } from './data-files.js';
import { SqliteLabelStore } from './label-store.js';
import { SqliteRecordStore } from './record-store.js';
import { SqliteRequestStore } from './request-store.js';
import { SqliteFile } from './sqlite-file.js';
import type { FromStoreThread, StoreThreadData, ThreadFile, ToStoreThread } from './thread-messages.js';
import type { LabelPorts, RecordPorts, RequestPorts } from './thread-ports.js';
import { SqliteTrendStore } from './trend-store.js';
import { SqliteWorkList } from './work-list.js';

// A thread that has files of stores. From time to time SQLite waits for the disk, some 10 to 100 ms, and only this
// thread waits with it.

type Ports = RecordPorts | RequestPorts | LabelPorts;
type Verb = (...args: readonly unknown[]) => Promise<unknown>;

/** How each file is opened, and what is in it. */
const OPEN: Readonly<Record<ThreadFile, (path: string) => { file: SqliteFile; ports: Ports }>> = {
  records(path) {
    const file = SqliteFile.open(path, DATA_FILES.records.migrations);
    return { file, ports: { records: new SqliteRecordStore(file), trends: new SqliteTrendStore(file) } };
  },
  requests(path) {
    const file = SqliteFile.open(path, DATA_FILES.requests.migrations);
    return { file, ports: { requests: new SqliteRequestStore(file), work: new SqliteWorkList(file) } };
  },
  labels(path) {
    const file = SqliteFile.open(path, DATA_FILES.labels.migrations);
    return { file, ports: { labels: new SqliteLabelStore(file) } };
  },
};

function answer(message: FromStoreThread): void {
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

function openAll(paths: StoreThreadData) {
  const opened: ReturnType<(typeof OPEN)[ThreadFile]>[] = [];
  try {
    for (const [name, path] of Object.entries(paths)) opened.push(OPEN[name as ThreadFile](path));
  } catch (thrown) {
    for (const { file } of opened) file.close();
    throw thrown;
  }
  return opened;
}

function serve(paths: StoreThreadData): void {
  const opened = openAll(paths);
  const verbs: Readonly<Record<string, Readonly<Record<string, Verb>>>> = Object.assign(
    {},
    ...opened.map(({ ports }) => ports),
  );
  const running = new Set<Promise<void>>();
  parentPort?.on('message', async (message: ToStoreThread | null) => {
    if (message === null) {
      await Promise.all(running);
      for (const { file } of opened) file.close();
      parentPort?.close();
      return;
    }
    const { id, port, verb, args } = message;
    const answered = answerWith(id, () => verbs[port]?.[verb]?.(...args));
    running.add(answered);
    await answered;
    running.delete(answered);
  });
}

void answerWith(0, () => serve(workerData as StoreThreadData));
