import type { ErrorCode } from '../errors.js';
import type { RecordStore } from '../record/record-store.js';
import type { TrendStore } from '../record/trend-store.js';

/** The ports that the thread of records serves. */
export interface RecordPorts {
  readonly records: RecordStore;
  readonly trends: TrendStore;
}

/** The file to open, as the thread finds it at its start. */
export interface RecordThreadData {
  readonly path: string;
}

/** One call of a port. They are carried out in turn. */
export interface ToRecordThread {
  readonly id: number;
  readonly port: keyof RecordPorts;
  readonly verb: string;
  readonly args: readonly unknown[];
}

/** What became of it; of the opening first, under the id 0. */
export type FromRecordThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly code: ErrorCode; readonly message: string };
