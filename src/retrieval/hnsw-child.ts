import { type ChildProcess, fork } from 'node:child_process';
import { builtEntry } from '../built-entry.js';
import { ReachError } from '../errors.js';
import type { FromHnswProcess, ToHnswProcess } from './hnsw-messages.js';

/** A slice takes a tenth of a second and the largest file some seconds: whoever is silent for so long hangs. */
const SILENCE_LIMIT_MS = 300_000;
/** How much of what a process wrote to stderr is kept to explain its end. */
const STDERR_CHARS = 1_000;

/** One process that builds a segment, asked one thing at a time. */
export class HnswChild {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #stderr = '';
  #fault: string | undefined;
  #settle: { resolve: (rows: readonly number[]) => void; reject: (error: Error) => void } | undefined;

  /** Where the signal aborts, the process ends and what it was asked fails. */
  constructor(signal: AbortSignal) {
    this.#child = fork(builtEntry('retrieval/hnsw-process.js'), [], {
      // Not the service's own Node flags: a loader or a debugger port is not for this process.
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-STDERR_CHARS);
    });
    this.#child.on('message', (message: FromHnswProcess) => this.#receive(message));
    this.#ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.#fault ??= [how, this.#stderr.trim()].filter((text) => text !== '').join(': ');
        this.#fail(this.#fault);
        resolve();
      };
      this.#child.once('close', (code, killedBy) => {
        end(killedBy === null ? `it ended with code ${code}` : `it was ended by ${killedBy}`);
      });
      this.#child.on('error', (error) => {
        // A process that could not be started does not close.
        if (this.#child.pid === undefined) end(error.message);
      });
    });
    const abort = () => this.#kill();
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    // One signal serves many children.
    void this.#ended.then(() => signal.removeEventListener('abort', abort));
  }

  /** For who wants to end it from outside. */
  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Resolves when it is done, to the rows in which the vectors of a slice lie. @throws ReachError INTERNAL where it failed, ended or hangs. */
  async ask(message: ToHnswProcess): Promise<readonly number[]> {
    const done = new Promise<readonly number[]>((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    if (this.#fault !== undefined) this.#fail(this.#fault);
    const watch = setTimeout(() => {
      this.#fault ??= `it gave no sign of life for ${SILENCE_LIMIT_MS / 1000} s`;
      this.#kill();
    }, SILENCE_LIMIT_MS);
    // A process that is gone says so by 'close'; the failed write adds nothing to that.
    this.#child.send(message, () => {});
    return await done.finally(() => clearTimeout(watch));
  }

  /** Ends the process and waits until it is gone. */
  async end(): Promise<void> {
    this.#kill();
    await this.#ended;
  }

  #kill(): void {
    this.#child.kill('SIGKILL');
  }

  #receive(message: FromHnswProcess): void {
    if (message.type === 'done') this.#settle?.resolve(message.rows);
    else this.#fail(message.detail);
  }

  #fail(why: string): void {
    this.#settle?.reject(
      new ReachError('INTERNAL', `The process that builds the vector index failed: ${why}.`),
    );
  }
}
