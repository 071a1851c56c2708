/**
 * In which form a message goes out: signed by us, or as the robot of a platform takes it, with the platform's own
 * signature where its secret is named.
 */
export type MessageForm = 'signed' | 'slack' | 'feishu' | 'dingtalk';

/** Something that is to be told to an address which somebody else named. */
export interface OutboxMessage {
  /** The same in every attempt: receivers tell by it (`webhook-id`) what they have had already. Without a full stop. */
  readonly messageId: string;
  readonly url: string;
  readonly form: MessageForm;
  /** JSON. */
  readonly body: string;
  /** `env:NAME` or `file:PATH` of what it is signed with; undefined: it is not. */
  readonly secretRef: string | undefined;
}

/** How far a message is. `given_up` is final, as `taken` is. */
export interface Delivery {
  readonly state: 'waiting' | 'taken' | 'given_up';
  readonly attempts: number;
  /** Why the last attempt failed, in words without a full stop; null: none has. */
  readonly lastError: string | null;
}

/** Of the host that all messages to it share: one that hangs must not keep others waiting. */
export function hostOf({ url }: Pick<OutboxMessage, 'url'>): string {
  return new URL(url).host;
}
