import type { ReachError } from '../errors.js';

/** What happened in a watched folder. `file` is a name in it; for the folder itself its whole path. */
export type FolderEvent =
  /** A file has a new document, which is not checked yet. */
  | { readonly kind: 'changed'; readonly file: string; readonly document: unknown }
  /** No file names this agent any more. */
  | { readonly kind: 'removed'; readonly file: string; readonly agentName: string }
  /** A file cannot be used; what was read from it before goes on serving. Told once for each content. */
  | { readonly kind: 'broken'; readonly file: string; readonly error: ReachError };

/**
 * Takes an event; one at a time. Throwing on `changed` refuses the document: the file is broken then, and told
 * again later where the error is retryable. Throwing on `removed` has it told again.
 */
export type FolderHandler = (event: FolderEvent) => Promise<void>;
