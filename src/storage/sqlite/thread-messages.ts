import type { ErrorCode } from '../../errors.js';

/** What lies in a file that a thread of stores has open. */
export type ThreadFile = 'records' | 'requests' | 'labels';

/** The paths of the files to open, as the thread finds them at its start. */
export type StoreThreadData = Readonly<Partial<Record<ThreadFile, string>>>;

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
