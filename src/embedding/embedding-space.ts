import { ReachError } from '../errors.js';
import type { Embedder, EmbedOptions } from './embedder.js';
import { toSimplified } from './simplified-chinese.js';

/** One of something a space. Only vectors of the same space can be compared. */
export interface BySpace<Of> {
  /** Every text has its place here. */
  readonly main: Of;
  /** Beside it, where the service has a second model for English: what is English has its place here as well. */
  readonly english: Of | undefined;
}

const LETTER = /\p{L}/u;
const FOREIGN_LETTER = /(?![a-z])\p{L}/iu;

/** Whether a text may be English: it has letters, and none that English does without; full-width ones are the same. */
export function looksEnglish(text: string): boolean {
  const plain = text.normalize('NFKC');
  return LETTER.test(plain) && !FOREIGN_LETTER.test(plain);
}

/**
 * The vectors of an intent in all spaces in which it has a place.
 * @throws ReachError those of Embedder.embed
 */
export async function embedIntent(
  embedders: BySpace<Embedder>,
  intent: string,
  options: EmbedOptions,
): Promise<BySpace<Float32Array>> {
  const [vectors] = await embedIntents(embedders, [intent], options);
  if (vectors === undefined) throw new ReachError('INTERNAL', 'The embedder gave no vector for the intent.');
  return vectors;
}

/** The same of many, in order. */
export async function embedIntents(
  { main, english }: BySpace<Embedder>,
  intents: readonly string[],
  options: EmbedOptions,
): Promise<BySpace<Float32Array>[]> {
  const inEnglish = english === undefined ? [] : [...new Set(intents.filter(looksEnglish))];
  const [vectors, englishVectors] = await Promise.all([
    main.embed(intents.map(toSimplified), 'query', options),
    inEnglish.length === 0 ? [] : english?.embed(inEnglish, 'query', options),
  ]);
  return vectors.map((vector, i) => ({
    main: vector,
    english: englishVectors?.[inEnglish.indexOf(intents[i] ?? '')],
  }));
}
