import { AskedProcess } from './asked-process.js';
import type { LoadAnswer, LoadOrder } from './load-process.js';

/** Callers in a process of their own, so that they take no time from the server that is measured. */
export class HttpLoad {
  readonly #process = new AskedProcess<LoadOrder, LoadAnswer>('./load-process.ts');

  /** How many of these requests are answered in a second. @throws Error where one is not answered with 200 */
  async rate(order: LoadOrder): Promise<number> {
    const answer = await this.#process.ask(order);
    if ('error' in answer) throw new Error(answer.error);
    return order.requests / answer.seconds;
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
