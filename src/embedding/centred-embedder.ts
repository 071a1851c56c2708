import { hasChinese } from '../wire/chinese.js';
import type { Embedder, EmbedderStatus, EmbedOptions, ModelIdentity, TextKind } from './embedder.js';

/** The mean of what a model makes of ordinary texts, by the script that they are written in; empty: unknown. */
export interface Background {
  readonly han: readonly number[];
  readonly other: readonly number[];
}

/** How much of the background is taken off: all of it would also take off what a catalogue has in common. */
const SHARE = 0.5;

/**
 * An embedder whose vectors lack half of what is common to all texts of their script. All vectors of these
 * models lie in a narrow cone, one a language; without its axis, cosines tell more of what a text means.
 */
export class CentredEmbedder implements Embedder {
  readonly #inner: Embedder;
  readonly #background: Background;

  constructor(inner: Embedder, background: Background) {
    this.#inner = inner;
    this.#background = background;
  }

  get model(): ModelIdentity {
    return this.#inner.model;
  }

  async embed(texts: readonly string[], kind: TextKind, options?: EmbedOptions): Promise<Float32Array[]> {
    const vectors = await this.#inner.embed(texts, kind, options);
    return vectors.map((vector, i) => this.#centred(vector, texts[i] ?? ''));
  }

  status(): EmbedderStatus {
    return this.#inner.status();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #centred(vector: Float32Array, text: string): Float32Array {
    const mean = hasChinese(text) ? this.#background.han : this.#background.other;
    if (mean.length !== vector.length) return vector;
    let squares = 0;
    const moved = vector.map((value, i) => {
      const rest = value - SHARE * (mean[i] ?? 0);
      squares += rest * rest;
      return rest;
    });
    const length = Math.sqrt(squares) || 1;
    return moved.map((value) => value / length);
  }
}
