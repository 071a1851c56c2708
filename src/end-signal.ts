/** What somebody who waits has to know of the end of the wait. An AbortSignal is one. */
export interface EndSignal {
  readonly aborted: boolean;
  readonly reason?: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** An end that hardly costs anything where it does not come: the making of an AbortController costs a call several µs. */
export class Ending implements EndSignal {
  #aborted = false;
  #reason: unknown;
  readonly #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  /** What `abort` was given. */
  get reason(): unknown {
    return this.#reason;
  }

  addEventListener(_: 'abort', listener: () => void): void {
    if (!this.#aborted) this.#listeners.push(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    const place = this.#listeners.indexOf(listener);
    if (place !== -1) this.#listeners.splice(place, 1);
  }

  /** Tells everybody, once. */
  abort(reason?: unknown): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    for (let next = this.#listeners.shift(); next !== undefined; next = this.#listeners.shift()) next();
  }
}
