import { availableParallelism } from 'node:os';
import { basename, dirname, sep } from 'node:path';
import {
  AutoModel,
  AutoTokenizer,
  env,
  LogLevel,
  type PreTrainedModel,
  type PreTrainedTokenizer,
  Tensor,
} from '@xenova/transformers';
import type { TextKind } from './embedder.js';
import type { ModelDescription } from './model-description.js';
import { poolRow } from './pooling.js';
import { cutIntoWindows, specialTokens, type TextWindow, type WindowFrame } from './text-windows.js';

// A second thread shortens long texts and batches, not short texts; one core is left to the service. Spinning
// threads would win nothing and take the service's core from it. The vector's bits do not depend on either.
export const SESSION_OPTIONS = {
  intraOpNumThreads: Math.min(2, Math.max(1, availableParallelism() - 1)),
  interOpNumThreads: 1,
  extra: { session: { 'intra_op.allow_spinning': '0' } },
};

/** With the `u` flag a surrogate that belongs to a pair is not seen alone. */
const LONE_SURROGATES = /\p{Surrogate}/gu;

/** One input row for every window, filled up to the longest with tokens that the mask hides. */
function inputsOf(windows: readonly TextWindow[], padding: number): Record<string, Tensor> {
  const tokens = Math.max(...windows.map((window) => window.ids.length));
  const ids = new BigInt64Array(windows.length * tokens).fill(BigInt(padding));
  const mask = new BigInt64Array(windows.length * tokens);
  for (const [row, window] of windows.entries()) {
    const start = row * tokens;
    for (const [index, id] of window.ids.entries()) ids[start + index] = BigInt(id);
    mask.fill(1n, start, start + window.ids.length);
  }
  const dims = [windows.length, tokens];
  return { input_ids: new Tensor('int64', ids, dims), attention_mask: new Tensor('int64', mask, dims) };
}

/** A loaded model: text -> windows -> unit vectors. Computes on the calling thread. */
export class TextModel {
  readonly #tokenizer: PreTrainedTokenizer;
  readonly #model: PreTrainedModel;
  readonly #description: ModelDescription;
  readonly #frames: Readonly<Record<TextKind, WindowFrame>>;

  private constructor(tokenizer: PreTrainedTokenizer, model: PreTrainedModel, description: ModelDescription) {
    this.#tokenizer = tokenizer;
    this.#model = model;
    this.#description = description;
    const { before, after } = specialTokens(tokenizer.encode('a'), this.#bareTokens('a'));
    const frame = (kind: TextKind): WindowFrame => ({
      before: [...before, ...this.#bareTokens(description.prefix[kind])],
      after,
    });
    this.#frames = { query: frame('query'), passage: frame('passage') };
  }

  /** Loads the files of a folder and tries them on one text. Throws whatever says why they do not work. */
  static async load(path: string, description: ModelDescription): Promise<TextModel> {
    env.allowRemoteModels = false;
    env.localModelPath = dirname(path) + sep;
    env.logLevel = LogLevel.ERROR;
    const name = basename(path);
    const tokenizer = await AutoTokenizer.from_pretrained(name);
    const model = await AutoModel.from_pretrained(name, {
      dtype: description.dtype as 'q8',
      session_options: SESSION_OPTIONS,
    });
    const loaded = new TextModel(tokenizer, model, description);
    await loaded.#check();
    return loaded;
  }

  /**
   * The windows of a text, the prefix of its kind before each. Any text has at least one: a lone surrogate
   * becomes U+FFFD, and of an empty text the prefix and the special tokens remain. Full-width letters and other
   * forms of compatibility are folded (NFKC), since not every tokenizer knows them.
   */
  windows(text: string, kind: TextKind): readonly [TextWindow, ...TextWindow[]] {
    const folded = text.replace(LONE_SURROGATES, '\uFFFD').normalize('NFKC');
    const whole = this.#tokenizer.encode(this.#description.prefix[kind] + folded);
    if (whole.length <= this.#description.maxTokens) return [{ ids: whole, weight: 1 }];
    return cutIntoWindows(this.#bareTokens(folded), this.#frames[kind], this.#description.maxTokens);
  }

  /** The unit vector of each window, in order. */
  async run(windows: readonly TextWindow[]): Promise<Float32Array[]> {
    const output = await this.#model(inputsOf(windows, this.#tokenizer.pad_token_id ?? 0));
    const hidden: unknown = output.last_hidden_state;
    if (!(hidden instanceof Tensor) || !(hidden.data instanceof Float32Array)) {
      throw new TypeError('the model has no float32 output last_hidden_state');
    }
    const [, tokens = 0, dim = 0] = hidden.dims;
    const states = { data: hidden.data, tokens, dim };
    return windows.map(({ ids }, row) => poolRow(states, row, ids.length, this.#description.pooling));
  }

  #bareTokens(text: string): number[] {
    return this.#tokenizer.encode(text, { add_special_tokens: false });
  }

  async #check(): Promise<void> {
    const { dim, maxTokens } = this.#description;
    for (const { before, after } of Object.values(this.#frames)) {
      if (before.length + after.length > maxTokens / 2) {
        throw new RangeError('the prefix takes more than half of the window');
      }
    }
    const [vector] = await this.run(this.windows('a', 'query'));
    if (vector?.length !== dim) {
      throw new RangeError(`the model gives vectors of ${vector?.length} numbers, not of ${dim}`);
    }
  }
}
