import type { HttpFailureReason } from './http-outcome.js';

/** Why our side ended a request. */
export interface EndCause {
  readonly reason: Extract<HttpFailureReason, 'timeout' | 'aborted'>;
  readonly detail: string;
}

/**
 * The end of a request that our side sets: its deadline, or its caller's signal, whichever comes first.
 * A request waits at one place at a time (for a connection, then for its answer), so there is one listener.
 */
export class RequestEnd {
  readonly #timer: NodeJS.Timeout;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = () => this.#end({ reason: 'aborted', detail: 'the caller ended the request' });
  #cause: EndCause | undefined;
  #listener: ((cause: EndCause) => void) | undefined;

  constructor(timeoutMs: number, signal: AbortSignal | undefined) {
    const detail = `no whole answer within ${Math.round(timeoutMs)} ms`;
    this.#timer = setTimeout(() => this.#end({ reason: 'timeout', detail }), timeoutMs);
    this.#signal = signal;
    if (signal?.aborted) this.#onAbort();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Set once the end has come. */
  get cause(): EndCause | undefined {
    return this.#cause;
  }

  /** Whom to tell, at once where the end has come already; replaces the listener before. */
  tell(listener: ((cause: EndCause) => void) | undefined): void {
    this.#listener = listener;
    if (this.#cause !== undefined) listener?.(this.#cause);
  }

  /** The request is over: no end can come any more. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#listener = undefined;
  }

  #end(cause: EndCause): void {
    this.#cause ??= cause;
    this.#listener?.(this.#cause);
  }
}
