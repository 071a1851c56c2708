import { systemClock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import { type BySpace, looksEnglish } from '../embedding/embedding-space.js';
import { toSimplified } from '../embedding/simplified-chinese.js';
import { ReachError } from '../errors.js';
import { type CallEnd, within } from '../running-calls.js';
import type { CapabilityTexts } from './capability-texts.js';
import { type CapabilityVectors, capabilityVectors, VIEWS } from './capability-vectors.js';
import { isVector } from './vector-math.js';

/** Texts handed to the embedder at a time, so that progress can be shown. */
const SLICE = 128;
/** A model process that ends in the middle is replaced; so often the same slice is asked for again. */
const TRIES = 5;
/** A slice takes a second or two; behind a large catalogue it may have to wait for a minute. */
const SLICE_BUDGET_MS = 300_000;

/** Told how many texts are embedded, of how many. */
export type Progress = (done: number, total: number) => void;

/**
 * Embeds the texts of capabilities in all spaces in which they have a place; the returned function has their vectors.
 * @throws ReachError INTERNAL where a model gives what is no vector, and those of Embedder.embed
 */
export async function embedCapabilities(
  { main, english }: BySpace<Embedder>,
  all: readonly CapabilityTexts[],
  onProgress: Progress,
  end: Partial<CallEnd> = {},
): Promise<(texts: CapabilityTexts) => BySpace<CapabilityVectors>> {
  const everything = new Set(all.flatMap(listOf));
  const inEnglish = new Set(english && all.flatMap((texts) => englishPart(texts) ?? []).flatMap(listOf));
  const total = everything.size + inEnglish.size;
  let done = 0;
  const onEmbedded = (count: number) => {
    done += count;
    onProgress(done, total);
  };
  const [mainVectors, englishVectors] = await Promise.all([
    embedAll(main, [...everything], onEmbedded, end),
    english && embedAll(english, [...inEnglish], onEmbedded, end),
  ]);
  return (texts) => {
    const part = englishVectors && englishPart(texts);
    return { main: vectorsOf(texts, mainVectors), english: part && vectorsOf(part, englishVectors) };
  };
}

function listOf(texts: CapabilityTexts): string[] {
  return [...VIEWS.map((view) => texts[view]), ...texts.examples];
}

/** What of a capability has its place among English: nothing, unless it is described in English. */
function englishPart(texts: CapabilityTexts): CapabilityTexts | undefined {
  const { name, description, summary, full, examples } = texts;
  if (!looksEnglish(summary)) return undefined;
  return {
    ...texts,
    name: looksEnglish(name) ? name : summary,
    description: looksEnglish(description) ? description : summary,
    full: looksEnglish(full) ? full : summary,
    examples: examples.filter(looksEnglish),
  };
}

type VectorOf = (text: string) => Float32Array;

function vectorsOf(texts: CapabilityTexts, vectorOf: VectorOf): CapabilityVectors {
  const { name, description, summary, full, examples } = texts;
  const views = {
    name: vectorOf(name),
    description: vectorOf(description),
    summary: vectorOf(summary),
    full: vectorOf(full),
  };
  return capabilityVectors(views, examples.map(vectorOf));
}

async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  onEmbedded: (count: number) => void,
  end: Partial<CallEnd>,
): Promise<VectorOf> {
  const vectors = new Map<string, Float32Array>();
  for (let start = 0; start < texts.length; start += SLICE) {
    const slice = texts.slice(start, start + SLICE);
    const embedded = await embedSlice(embedder, slice, end);
    for (const [i, text] of slice.entries()) {
      const vector = embedded[i];
      if (vector !== undefined) vectors.set(text, vector);
    }
    onEmbedded(slice.length);
  }
  return (text) => {
    const vector = vectors.get(text);
    // Refused here, where a throw still undoes the change: what is applied must not fail.
    if (vector === undefined || !isVector(vector, embedder.model.dim)) {
      throw new ReachError('INTERNAL', 'The model gave no usable vector for a text of a manifest.');
    }
    return vector;
  };
}

async function embedSlice(
  embedder: Embedder,
  slice: readonly string[],
  { signal: outer }: Partial<CallEnd>,
): Promise<Float32Array[]> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await within(
        SLICE_BUDGET_MS,
        systemClock,
        ({ signal }) => embedder.embed(slice.map(toSimplified), 'passage', { bulk: true, signal }),
        outer,
      );
    } catch (error) {
      const again = error instanceof ReachError && error.code === 'EMBEDDING_INTERRUPTED' && attempt < TRIES;
      if (!again) throw error;
    }
  }
}
