import type { Clock } from './clock.js';
import { ReachError } from './errors.js';

/** The calls that are under way, so that a close can wait for them. */
export class RunningCalls {
  readonly #running = new Set<Promise<unknown>>();

  async track<Result>(call: Promise<Result>): Promise<Result> {
    this.#running.add(call);
    try {
      return await call;
    } finally {
      this.#running.delete(call);
    }
  }

  /** Resolves when those under way now have ended, well or badly. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

/**
 * Work that gets a signal and may take `budgetMs`; then the signal is aborted, as it is with `outer`.
 * @throws ReachError DEADLINE_EXCEEDED when the time is over, and whatever the work throws before
 */
export function within<Result>(
  budgetMs: number,
  clock: Clock,
  work: (signal: AbortSignal) => Promise<Result>,
  outer?: AbortSignal,
): Promise<Result> {
  const ending = new AbortController();
  // By hand: `AbortSignal.any` costs a quick call more than all else here.
  const endWithOuter = () => ending.abort(outer?.reason);
  if (outer?.aborted) endWithOuter();
  outer?.addEventListener('abort', endWithOuter, { once: true });
  return new Promise<Result>((resolve, reject) => {
    const cancel = clock.after(budgetMs, () => {
      const late = new ReachError('DEADLINE_EXCEEDED', `It took longer than its ${budgetMs} ms.`);
      reject(late);
      ending.abort(late);
    });
    const settle = () => {
      cancel();
      outer?.removeEventListener('abort', endWithOuter);
    };
    work(ending.signal).then(resolve, reject).finally(settle);
  });
}
