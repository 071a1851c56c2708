import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { LoadAnswer, LoadOrder } from './load-process.js';

const PROCESS = fileURLToPath(new URL('./load-process.ts', import.meta.url));
/** The process is TypeScript too, whoever starts it. */
const LOADER = ['--import', 'tsx'];

/** Callers in a process of their own, so that they take no time from the server that is measured. */
export class HttpLoad {
  readonly #process: ChildProcess = fork(PROCESS, { execArgv: LOADER });

  /** How many of these requests are answered in a second. @throws Error where one is not answered with 200 */
  async rate(order: LoadOrder): Promise<number> {
    const answered = once(this.#process, 'message');
    this.#process.send(order);
    const [answer]: [LoadAnswer] = (await answered) as [LoadAnswer];
    if ('error' in answer) throw new Error(answer.error);
    return order.requests / answer.seconds;
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }
}
