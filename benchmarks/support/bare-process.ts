import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { BareOrder } from './bare-model-process.js';

const PROCESS = fileURLToPath(new URL('./bare-model-process.ts', import.meta.url));

/** A bare model in a process of its own, which is given a text and sends its states' mean back: nothing else. */
export class BareProcess {
  readonly #process = fork(PROCESS, { execArgv: ['--import', 'tsx'], serialization: 'advanced' });

  /** Resolves when the model is loaded. */
  async load(modelsFolder: string, name: string): Promise<void> {
    await this.#ask({ modelsFolder, name });
  }

  async pass(text: string): Promise<void> {
    await this.#ask({ text });
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.disconnect();
    await ended;
  }

  async #ask(order: BareOrder): Promise<void> {
    const answered = once(this.#process, 'message');
    this.#process.send(order);
    await answered;
  }
}
