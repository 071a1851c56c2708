import type { EndSignal } from '../end-signal.js';
import type { HttpFailureReason } from './http-outcome.js';

/** Why our side ended a request. */
export interface EndCause {
  readonly reason: Extract<HttpFailureReason, 'timeout' | 'cancelled'>;
  readonly detail: string;
}

const CANCELLED: EndCause = { reason: 'cancelled', detail: 'the request was cancelled' };

/**
 * The end of a request that our side sets: its deadline, or its caller's signal.
 * A request waits at one place at a time (for a connection, then for its answer), so there is one listener.
 */
export class RequestEnd {
  readonly #timer: NodeJS.Timeout;
  readonly #signal: EndSignal | undefined;
  readonly #cancel = () => this.#come(CANCELLED);
  #cause: EndCause | undefined;
  #listener: ((cause: EndCause) => void) | undefined;

  constructor(timeoutMs: number, signal?: EndSignal) {
    this.#timer = setTimeout(() => {
      this.#come({ reason: 'timeout', detail: `no whole answer within ${Math.round(timeoutMs)} ms` });
    }, timeoutMs);
    this.#signal = signal;
    if (signal?.aborted) this.#cancel();
    signal?.addEventListener('abort', this.#cancel);
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
    this.#signal?.removeEventListener('abort', this.#cancel);
    this.#listener = undefined;
  }

  #come(cause: EndCause): void {
    if (this.#cause !== undefined) return;
    this.#cause = cause;
    this.#listener?.(cause);
  }
}
