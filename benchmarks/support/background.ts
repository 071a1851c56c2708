import type { Background } from '../../src/embedding/centred-embedder.js';
import type { Embedder } from '../../src/embedding/embedder.js';
import { looksEnglish } from '../../src/embedding/embedding-space.js';
import { readManifests } from '../../src/evaluation/judged-catalogue.js';
import { textsOf } from '../../src/retrieval/capability-texts.js';
import type { LabelledSet } from './labelled-sets.js';

const HAN = /\p{Script=Han}/u;
/** Of each set, evenly spread: a mean needs no more. */
const TEXTS_A_SET = 400;
/** Fewer tell nothing of a script. */
const FEWEST_TEXTS = 11;
const DIGITS = 5;

/** What a model makes of the texts of all sets' manifests on the average, by script; every set counts the same. */
export async function backgroundOf(
  embedder: Embedder,
  sets: readonly LabelledSet[],
  onlyEnglish: boolean,
): Promise<Background> {
  const means = { han: [] as Float64Array[], other: [] as Float64Array[] };
  for (const set of sets) {
    const { manifests } = await readManifests([set.manifest]);
    const texts = manifests.flatMap(({ manifest }) =>
      manifest.capabilities.flatMap((capability) => {
        const { name, summary, examples } = textsOf(capability);
        return [name, summary, ...examples];
      }),
    );
    for (const script of ['han', 'other'] as const) {
      const own = texts.filter(
        (text) => HAN.test(text) === (script === 'han') && (!onlyEnglish || looksEnglish(text)),
      );
      if (own.length < FEWEST_TEXTS) continue;
      means[script].push(meanOf(await embedder.embed(evenlySpread(own), 'passage', { bulk: true })));
    }
  }
  return { han: rounded(means.han), other: rounded(means.other) };
}

function evenlySpread(texts: readonly string[]): string[] {
  const step = Math.max(1, texts.length / TEXTS_A_SET);
  return Array.from({ length: Math.floor(texts.length / step) }, (_, i) => texts[Math.floor(i * step)] ?? '');
}

function meanOf(vectors: readonly ArrayLike<number>[]): Float64Array {
  const mean = new Float64Array(vectors[0]?.length ?? 0);
  for (const vector of vectors)
    for (let i = 0; i < mean.length; i += 1) mean[i] = (mean[i] ?? 0) + (vector[i] ?? 0) / vectors.length;
  return mean;
}

function rounded(means: readonly Float64Array[]): number[] {
  return [...meanOf(means)].map((value) => Number(value.toFixed(DIGITS)));
}
