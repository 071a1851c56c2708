import type { RequestEnd } from './request-end.js';

/**
 * First come, first served for a fixed number of places. Unlike undici's own queue, whoever gives up leaves
 * it at once: an agent that never answers cannot pile up requests whose callers have long gone.
 */
export class WaitingLine {
  readonly #waiting = new Set<(admitted: boolean) => void>();
  #free: number;

  constructor(places: number) {
    this.#free = places;
  }

  /** True with a place, which must be given back by `leave`; false where the request ended or the line closed. */
  enter(end: RequestEnd): Promise<boolean> | boolean {
    if (this.#free > 0) {
      this.#free -= 1;
      return true;
    }
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        this.#waiting.delete(settle);
        end.tell(undefined);
        resolve(admitted);
      };
      this.#waiting.add(settle);
      end.tell(() => settle(false));
    });
  }

  /** Gives a place back, or rather on. */
  leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#free += 1;
    else next(true);
  }

  /** Sends everybody away who still waits. */
  close(): void {
    for (const settle of [...this.#waiting]) settle(false);
  }
}
