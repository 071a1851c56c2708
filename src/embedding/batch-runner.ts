import { setImmediate } from 'node:timers/promises';
import type { FromModelProcess, TextMessage } from './model-messages.js';
import { nextBatch } from './next-batch.js';
import { joinWindows } from './pooling.js';
import type { TextModel } from './text-model.js';
import type { TextWindow } from './text-windows.js';

/**
 * The padded size of a batch: enough for the gain of running short texts together, which larger batches hardly
 * add to, and no more, since an urgent text waits for the batch before it.
 */
const MAX_PADDED_TOKENS = 512;

/** A text that is worked on: the window that is next, those after it, and the vectors of those before. */
interface OpenText {
  readonly state: 'open';
  readonly id: number;
  readonly next: TextWindow;
  readonly later: readonly TextWindow[];
  readonly done: readonly { readonly vector: Float32Array; readonly weight: number }[];
}

interface EndedText {
  readonly state: 'ended';
  readonly id: number;
  readonly vector: Float32Array;
}

/** The text after its next window was run. */
function advance(text: OpenText, vector: Float32Array | undefined): OpenText | EndedText {
  if (vector === undefined) throw new RangeError('the model gave fewer vectors than it got windows');
  const done = [...text.done, { vector, weight: text.next.weight }];
  const [next, ...later] = text.later;
  return next === undefined
    ? { state: 'ended', id: text.id, vector: joinWindows(done) }
    : { state: 'open', id: text.id, next, later, done };
}

/**
 * Runs the texts it is given in small batches, urgent ones before bulk. A batch takes at most one window of a
 * text, and a text with windows left goes to the end of the line: a long text does not hold up short ones.
 */
export class BatchRunner {
  readonly #model: Pick<TextModel, 'windows' | 'run'>;
  readonly #maxPaddedTokens: number;
  readonly #answer: (message: FromModelProcess) => void;
  readonly #lines: { urgent: OpenText[]; bulk: OpenText[] } = { urgent: [], bulk: [] };
  #running = false;

  /** `together` false: every window is run alone. */
  constructor(
    model: Pick<TextModel, 'windows' | 'run'>,
    together: boolean,
    answer: (message: FromModelProcess) => void,
  ) {
    this.#model = model;
    this.#maxPaddedTokens = together ? MAX_PADDED_TOKENS : 0;
    this.#answer = answer;
  }

  add(texts: readonly TextMessage[]): void {
    for (const { id, text, kind, bulk } of texts) {
      try {
        const [next, ...later] = this.#model.windows(text, kind);
        this.#lines[bulk ? 'bulk' : 'urgent'].push({ state: 'open', id, next, later, done: [] });
      } catch (error) {
        this.#fail([id], error);
      }
    }
    if (!this.#running) void this.#run();
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#lines.urgent.length + this.#lines.bulk.length > 0) {
      const line = this.#lines.urgent.length > 0 ? 'urgent' : 'bulk';
      await this.#runBatch(line);
      // Lets in what arrived while the batch was computed: an urgent text waits for one batch, not for two.
      if (this.#lines.urgent.length + this.#lines.bulk.length > 0) await setImmediate();
    }
    this.#running = false;
  }

  async #runBatch(line: 'urgent' | 'bulk'): Promise<void> {
    const batch = this.#take(line);
    try {
      const vectors = await this.#model.run(batch.map((text) => text.next));
      const advanced = batch.map((text, index) => advance(text, vectors[index]));
      const ended = advanced.filter((text) => text.state === 'ended');
      this.#lines[line].push(...advanced.filter((text) => text.state === 'open'));
      if (ended.length > 0) this.#succeed(ended);
    } catch (error) {
      this.#fail(
        batch.map(({ id }) => id),
        error,
      );
    }
  }

  /** Takes the next batch out of the line. */
  #take(line: 'urgent' | 'bulk'): OpenText[] {
    const waiting = this.#lines[line];
    const lengths = waiting.map((text) => text.next.ids.length);
    const chosen = new Set(nextBatch(lengths, this.#maxPaddedTokens));
    this.#lines[line] = waiting.filter((_, index) => !chosen.has(index));
    return waiting.filter((_, index) => chosen.has(index));
  }

  #succeed(ended: readonly EndedText[]): void {
    const dim = ended[0]?.vector.length ?? 0;
    const vectors = new Float32Array(ended.length * dim);
    for (const [index, { vector }] of ended.entries()) vectors.set(vector, index * dim);
    this.#answer({ type: 'vectors', ids: ended.map(({ id }) => id), vectors });
  }

  #fail(ids: readonly number[], error: unknown): void {
    this.#answer({ type: 'failed', ids, detail: error instanceof Error ? error.message : String(error) });
  }
}
