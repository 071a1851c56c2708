import type { ManifestDocument } from 'agent-reach-sdk';
import type { ErrorCode } from '../errors.js';

/** What the process of a sample agent is told by the one that started it, once and first. */
export interface AgentProcessOrder {
  readonly manifest: ManifestDocument;
  readonly instanceId: string;
}

/** What it is told afterwards: to register with the service at `reach`, and that the service ends before it does. */
export type AgentProcessWord =
  | { readonly kind: 'join'; readonly reach: string }
  | { readonly kind: 'service ends' };

/** What the process of a sample agent tells the one that started it, once. */
export type AgentProcessMessage =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly detail: string };
