import type { HttpFailureReason } from './http-outcome.js';

/** Why our side ended a request. */
export interface EndCause {
  readonly reason: Extract<HttpFailureReason, 'timeout'>;
  readonly detail: string;
}

/**
 * The end of a request that our side sets: its deadline.
 * A request waits at one place at a time (for a connection, then for its answer), so there is one listener.
 */
export class RequestEnd {
  readonly #timer: NodeJS.Timeout;
  #cause: EndCause | undefined;
  #listener: ((cause: EndCause) => void) | undefined;

  constructor(timeoutMs: number) {
    const detail = `no whole answer within ${Math.round(timeoutMs)} ms`;
    this.#timer = setTimeout(() => {
      this.#cause = { reason: 'timeout', detail };
      this.#listener?.(this.#cause);
    }, timeoutMs);
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
    this.#listener = undefined;
  }
}
