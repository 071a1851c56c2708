import type { ErrorCode } from '../errors.js';
import type { AgentReply } from '../wire/requests.js';
import type { OpenEvent } from './event-log.js';
import type { RepliedTo } from './reply-tokens.js';
import type { StoredRequest } from './request-store.js';

/** On which replicas speak of requests. */
export const TOPIC = 'requests';

/** What the replica that carries a request out is asked to do. */
export type Asked = { readonly requestId: string } & (
  | { readonly what: 'status' }
  | { readonly what: 'cancel' }
  | { readonly what: 'reply'; readonly repliedTo: RepliedTo; readonly reply: AgentReply }
);

/** An error, as it travels. */
export interface ToldError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterMs: number | undefined;
}

/** What it says to that. */
export type Told =
  | { readonly kind: 'done' }
  | ({ readonly kind: 'standing' } & Pick<StoredRequest, 'state' | 'history'>)
  /** It does not carry it out: what has become of it stands in the store. */
  | { readonly kind: 'elsewhere' }
  | { readonly kind: 'failed'; readonly error: ToldError };

/** What replicas say to each other about requests. */
export type PeerMessage =
  | { readonly kind: 'ask'; readonly question: string; readonly to: string; readonly asked: Asked }
  | { readonly kind: 'told'; readonly question: string; readonly told: Told }
  /** Somebody here follows it, or waits for it, and has heard all up to this event of the owner's. */
  | {
      readonly kind: 'want';
      readonly requestId: string;
      readonly owner: string | null;
      readonly lastId: number;
    }
  /** What comes behind the event `after`. */
  | {
      readonly kind: 'events';
      readonly requestId: string;
      readonly owner: string;
      readonly after: number;
      readonly events: readonly OpenEvent[];
    }
  /** Its end stands in the store. */
  | { readonly kind: 'ended'; readonly requestId: string }
  /** It was not let in. */
  | { readonly kind: 'refused'; readonly requestId: string; readonly error: ToldError };

/** Of another version there may be kinds that are unknown here: nobody takes them. */
export function isPeerMessage(message: unknown): message is PeerMessage {
  return typeof message === 'object' && message !== null && 'kind' in message;
}
