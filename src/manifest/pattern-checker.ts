import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { builtEntry } from '../built-entry.js';
import type { PatternAnswer, PatternQuestion } from './pattern-worker.js';
import { isPlainlyLinear } from './plain-pattern.js';

/**
 * `slow`: some text makes it take more than linear time. `undecided`: that could not be ruled out in time.
 * `invalid`: no regular expression (with the flag `u`, as JSON Schema wants it).
 */
export type PatternVerdict = 'safe' | 'slow' | 'undecided' | 'invalid';

const CHECK_MS = 1_000;
/** What starting the worker and its program may take on a busy machine, on top of the check. */
const GRACE_MS = 4_000;
const IDLE_MS = 5_000;
const MAX_KEPT = 2_000;

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

/** What is left of the time that the patterns of one manifest may be checked; waiting for others is not counted. */
export interface CheckingTime {
  leftMs: number;
}

const VERDICTS: Readonly<Record<PatternAnswer['status'], PatternVerdict>> = {
  safe: 'safe',
  vulnerable: 'slow',
  unknown: 'undecided',
};

/**
 * Checks whether regular expressions are slow on some text. One check at a time, each bounded in time, in a
 * worker thread: it and the native program that it starts (about 40 and 120 MB) are there only while patterns
 * are checked, end some seconds later, and end with the process in any case.
 */
export class PatternChecker {
  readonly #kept = new Map<string, PatternVerdict>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /**
   * The verdict on a pattern; what was decided is remembered. `undecided` where no time is left. Never throws.
   */
  async check(source: string, time: CheckingTime): Promise<PatternVerdict> {
    const kept = this.#kept.get(source);
    if (kept !== undefined) return kept;
    if (!isRegularExpression(source)) return 'invalid';
    if (isPlainlyLinear(source)) return 'safe';
    const verdict = this.#turn.then(() => this.#kept.get(source) ?? this.#checkNow(source, time));
    this.#turn = verdict;
    return await verdict;
  }

  async #checkNow(source: string, time: CheckingTime): Promise<PatternVerdict> {
    if (time.leftMs <= 0) return 'undecided';
    clearTimeout(this.#idle);
    const start = performance.now();
    const answer = await this.#ask({ source, timeoutMs: CHECK_MS });
    time.leftMs -= performance.now() - start;
    this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
    const verdict = answer === undefined ? 'undecided' : VERDICTS[answer.status];
    if (verdict !== 'undecided') this.#keep(source, verdict);
    return verdict;
  }

  #keep(source: string, verdict: PatternVerdict): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(source, verdict);
  }

  /** Undefined where no answer came: the worker, or its program, hangs or has died, and is replaced. */
  async #ask(question: PatternQuestion): Promise<PatternAnswer | undefined> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    // An idle worker must not keep the process alive, one that is waited for must.
    worker.ref();
    worker.postMessage(question);
    const waiting = new AbortController();
    const answer = await Promise.race([
      once(worker, 'message', { signal: waiting.signal }).then(([message]) => message as PatternAnswer),
      once(worker, 'exit', { signal: waiting.signal }).then(() => undefined),
      delay(question.timeoutMs + GRACE_MS, undefined, { signal: waiting.signal }),
    ]).catch(() => undefined);
    waiting.abort();
    worker.unref();
    if (answer === undefined) this.#end();
    return answer;
  }

  #start(): Worker {
    // Flags of this process, for its own entry, may not fit a worker.
    const worker = new Worker(builtEntry('manifest/pattern-worker.js'), { execArgv: [] });
    // Without a listener an error while nothing is asked would be thrown at the whole process.
    worker.on('error', () => {});
    worker.once('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    return worker;
  }

  #end(): void {
    void this.#worker?.terminate();
    this.#worker = undefined;
  }
}

/** Shared by all manifests: verdicts depend on nothing but the pattern. */
export const patternChecker = new PatternChecker();
