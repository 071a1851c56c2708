import type { Clock } from './clock.js';
import type { EndSignal } from './end-signal.js';
import { ReachError } from './errors.js';

/** The calls that are under way, so that a close can wait for them. */
export class RunningCalls {
  readonly #running = new Set<Promise<unknown>>();

  track<Result>(call: Promise<Result>): Promise<Result> {
    const over = () => void this.#running.delete(call);
    this.#running.add(call);
    call.then(over, over);
    return call;
  }

  /** Resolves when those under way now have ended, well or badly. */
  async ended(): Promise<void> {
    await Promise.allSettled(this.#running);
  }
}

/** How a call learns that it is to end: whoever waits for something asks for the signal. */
export interface CallEnd {
  readonly signal: AbortSignal;
}

/** Makes the signal when it is first asked for: it costs a call that need not wait more than all the rest. */
class LateSignal implements CallEnd {
  readonly #outer: EndSignal | undefined;
  readonly #endWithOuter = () => this.#controller?.abort(this.#outer?.reason);
  #controller: AbortController | undefined;

  constructor(outer: EndSignal | undefined) {
    this.#outer = outer;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#outer?.aborted) this.#endWithOuter();
      this.#outer?.addEventListener('abort', this.#endWithOuter, { once: true });
    }
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    // Whoever asks later finds it aborted.
    if (!this.signal.aborted) this.#controller?.abort(reason);
  }

  /** The call is over: the outer signal no longer ends it. */
  release(): void {
    if (this.#controller !== undefined) this.#outer?.removeEventListener('abort', this.#endWithOuter);
  }
}

/**
 * Work that may take `budgetMs`; then the signal of its end is aborted, as it is with `outer`. What comes to its result
 * at once need not be waited for.
 * @throws ReachError DEADLINE_EXCEEDED when the time is over, and whatever the work throws before
 */
export function within<Result>(
  budgetMs: number,
  clock: Clock,
  work: (end: CallEnd) => Promise<Result>,
  outer?: EndSignal,
): Promise<Result>;
export function within<Result>(
  budgetMs: number,
  clock: Clock,
  work: (end: CallEnd) => Result | Promise<Result>,
  outer?: EndSignal,
): Result | Promise<Result>;
export function within<Result>(
  budgetMs: number,
  clock: Clock,
  work: (end: CallEnd) => Result | Promise<Result>,
  outer?: EndSignal,
): Result | Promise<Result> {
  const end = new LateSignal(outer);
  const result = work(end);
  return result instanceof Promise ? ended(result, end, budgetMs, clock) : result;
}

function ended<Result>(
  work: Promise<Result>,
  end: LateSignal,
  budgetMs: number,
  clock: Clock,
): Promise<Result> {
  return new Promise<Result>((resolve, reject) => {
    const cancel = clock.after(budgetMs, () => {
      const late = new ReachError('DEADLINE_EXCEEDED', `It took longer than its ${budgetMs} ms.`);
      reject(late);
      end.abort(late);
    });
    const settled = () => {
      cancel();
      end.release();
    };
    work.then(
      (result) => {
        settled();
        resolve(result);
      },
      (thrown: unknown) => {
        settled();
        reject(thrown);
      },
    );
  });
}
