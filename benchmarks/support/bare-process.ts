import { AskedProcess } from './asked-process.js';
import type { BareOrder } from './bare-model-process.js';

/** A bare model in a process of its own, which is given a text and sends numbers back: nothing else. */
export class BareProcess {
  readonly #process = new AskedProcess<BareOrder, Float32Array>('./bare-model-process.ts');

  /** Resolves when the model is loaded. */
  async load(modelsFolder: string, name: string): Promise<void> {
    await this.#process.ask({ modelsFolder, name });
  }

  async pass(text: string): Promise<void> {
    await this.#process.ask({ text });
  }

  close(): Promise<void> {
    return this.#process.close();
  }
}
