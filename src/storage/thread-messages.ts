import type { ErrorCode } from '../errors.js';

/** A file of stores that a thread of its own has open. */
export type ThreadFile = 'records' | 'requests' | 'labels';

/** The file to open, as the thread finds it at its start. */
export interface StoreThreadData {
  readonly path: string;
  readonly file: ThreadFile;
}

/** One call of a port. They are begun in turn. */
export interface ToStoreThread {
  readonly id: number;
  readonly port: string;
  readonly verb: string;
  readonly args: readonly unknown[];
}

/** What became of it; of the opening first, under the id 0. */
export type FromStoreThread =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly code: ErrorCode; readonly message: string };
