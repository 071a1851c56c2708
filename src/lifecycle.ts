import { ReachError } from './errors.js';

type Close = () => Promise<void> | void;

/**
 * What has been started, so that it is closed once and in reverse order.
 * A part that fails to close does not keep the others open: its error is reported to `onError`.
 */
export class Lifecycle {
  readonly #parts: { name: string; close: Close }[] = [];
  readonly #onError: (part: string, error: unknown) => void;
  readonly #ending = new AbortController();
  #closing: Promise<void> | undefined;

  constructor(onError: (part: string, error: unknown) => void) {
    this.#onError = onError;
  }

  /** Aborted, with CLOSED, once the end is announced: what could only be waited for need not be waited for here. */
  get ending(): AbortSignal {
    return this.#ending.signal;
  }

  get closing(): boolean {
    return this.#closing !== undefined;
  }

  /** Registers a started part. Parts are closed in the reverse of the order in which they were added. */
  add(name: string, close: Close): void {
    this.#parts.push({ name, close });
  }

  /** What is under way is still let end before the close; what waits is not. */
  announceEnd(): void {
    this.#ending.abort(new ReachError('CLOSED', 'Agent-Reach is shutting down.'));
  }

  /** Closes everything; later calls get the promise of the first. */
  close(): Promise<void> {
    this.announceEnd();
    this.#closing ??= this.#closeAll();
    return this.#closing;
  }

  async #closeAll(): Promise<void> {
    for (const { name, close } of this.#parts.reverse()) {
      try {
        await close();
      } catch (error) {
        this.#onError(name, error);
      }
    }
  }
}
