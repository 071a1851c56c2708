import type { ErrorCode } from '../errors.js';

/** What the process of a sample agent tells the one that started it, once. */
export type AgentProcessMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly detail: string };
