import type { TextKind } from './embedder.js';

/** Where texts wait: bulk ones behind all others, long ones so that they do not hold up short ones. */
export type Line = 'urgent' | 'long' | 'bulk';

/** A text of more characters may take several turns of the model. */
const LONG_CHARS = 2_000;

/** What the model works on for a call: the text at `index` of it. */
export interface HeldText {
  readonly call: EmbedCall;
  readonly index: number;
  readonly text: string;
}

/** One call of `embed()`: its texts in order, how many of them were handed to the model, the vectors so far. */
export class EmbedCall {
  readonly kind: TextKind;
  readonly line: Line;
  /** Settles once: with all vectors in order, or with the first error. */
  readonly result: Promise<Float32Array[]>;
  readonly #texts: readonly string[];
  readonly #vectors: Float32Array[];
  #handed = 0;
  #answered = 0;
  #resolve: (vectors: Float32Array[]) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(texts: readonly string[], kind: TextKind, bulk: boolean) {
    this.kind = kind;
    const long = texts.some((text) => text.length > LONG_CHARS);
    this.line = bulk ? 'bulk' : long ? 'long' : 'urgent';
    this.#texts = texts;
    this.#vectors = new Array(texts.length);
    this.result = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Texts that were not handed to the model yet. */
  get waiting(): number {
    return this.#texts.length - this.#handed;
  }

  /** The text that is handed over next. */
  peek(): string | undefined {
    return this.#texts[this.#handed];
  }

  hand(text: string): HeldText {
    const index = this.#handed;
    this.#handed += 1;
    return { call: this, index, text };
  }

  answer(index: number, vector: Float32Array): void {
    this.#vectors[index] = vector;
    this.#answered += 1;
    if (this.#answered === this.#texts.length) this.#resolve(this.#vectors);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }
}
