import type { ManifestDocument } from 'agent-reach-sdk';
import type { ErrorCode } from '../errors.js';

/** What the process of a sample agent is told by the one that started it, once and first. */
export interface AgentProcessOrder {
  readonly manifest: ManifestDocument;
  readonly instanceId: string;
  /** The service that it registers with; undefined: it just serves. */
  readonly reach: string | undefined;
}

/** What it is told afterwards: the service closes its door, and ends it next. */
export const SERVICE_ENDS = 'service ends';

/** What the process of a sample agent tells the one that started it, once. */
export type AgentProcessMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly detail: string };
