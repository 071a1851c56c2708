import { createHash } from 'node:crypto';
import { asReachError, ReachError } from '../errors.js';
import { type RequestStatus, requestStatusCodec } from '../wire/requests.js';
import type { Delivery } from './message.js';
import type { Outbox } from './outbox.js';

/** Which request a callback tells of: an id may come again once its request is forgotten. */
export type CallbackOf = Pick<RequestStatus, 'requestId' | 'acceptedAt'>;

function messageIdOf({ requestId, acceptedAt }: CallbackOf): string {
  return `cb_${createHash('sha256').update(`${acceptedAt} ${requestId}`).digest('hex').slice(0, 32)}`;
}

export interface CallbacksParts {
  readonly outbox: Outbox;
  /** With what they are signed; null: none are taken on. */
  readonly secretRef: string | null;
}

/** Tells those who gave a `callback_url` when their request has ended. */
export class Callbacks {
  readonly #parts: CallbacksParts;

  constructor(parts: CallbacksParts) {
    this.#parts = parts;
  }

  /** Whether a caller may be told at this address. @throws ReachError ADDRESS_FORBIDDEN at `/callback_url` */
  check(url: string): void {
    try {
      this.#parts.outbox.check(url);
    } catch (thrown) {
      const { code, message, errors } = asReachError(thrown);
      throw new ReachError(code, message, {
        errors: errors.map((fault) => ({ ...fault, pointer: '/callback_url' })),
      });
    }
    if (this.#parts.secretRef !== null) return;
    const [expected, received] = ['a service with a REACH_WEBHOOK_SECRET to sign with', 'one without'];
    throw new ReachError('ADDRESS_FORBIDDEN', `A callback_url needs ${expected}.`, {
      errors: [{ pointer: '/callback_url', expected, received }],
    });
  }

  /**
   * Tells the end of a request, as it stands now; once, however often it is called. Durable when it resolves.
   * @throws ReachError OVERLOADED where too much waits, STORE_UNAVAILABLE
   */
  async tellEnd(url: string, request: RequestStatus): Promise<void> {
    const { outbox, secretRef } = this.#parts;
    await outbox.send({
      messageId: messageIdOf(request),
      url,
      form: 'signed',
      body: JSON.stringify(requestStatusCodec.encode(request)),
      secretRef: secretRef ?? undefined,
    });
  }

  /** How far the callback of an ended request is; undefined where nothing of it is kept. */
  find(request: CallbackOf): Promise<Delivery | undefined> {
    return this.#parts.outbox.find(messageIdOf(request));
  }
}
