import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Which delivery of a request a token belongs to. */
export interface RepliedTo {
  readonly run: number;
  readonly attempt: number;
}

/**
 * Tokens that let an agent answer later, one a delivery: an HMAC-SHA-256 of request, run and attempt under a secret
 * that outlives the process, so that nothing has to be kept of them.
 */
export class ReplyTokens {
  readonly #secret: KeyObject;

  constructor(secret: string) {
    this.#secret = createSecretKey(secret, 'utf8');
  }

  tokenOf(requestId: string, { run, attempt }: RepliedTo): string {
    return `${run}-${attempt}-${this.#signature(requestId, run, attempt).toString('base64url')}`;
  }

  /** Which delivery a token was made for; undefined where it was not made here, or for another request. */
  read(requestId: string, token: string): RepliedTo | undefined {
    const [, run, attempt, signature = ''] = /^(\d{1,9})-(\d{1,9})-([\w-]{43})$/.exec(token) ?? [];
    const repliedTo = { run: Number(run), attempt: Number(attempt) };
    const given = Buffer.from(signature, 'base64url');
    const right = this.#signature(requestId, repliedTo.run, repliedTo.attempt);
    return given.length === right.length && timingSafeEqual(given, right) ? repliedTo : undefined;
  }

  #signature(requestId: string, run: number, attempt: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${requestId}\n${run}\n${attempt}`).digest();
  }
}
