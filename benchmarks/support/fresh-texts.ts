import { seededRandom } from '../../src/evaluation/seeded-random.js';

const WORDS =
  'report sales week region customer order table month figure total invoice team leave price stock summary'.split(
    ' ',
  );
const WORDS_A_TEXT = 10;

function shuffled(words: readonly string[], random: () => number): string[] {
  return words
    .map((word) => ({ word, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ word }) => word);
}

/** Texts that no cache has seen, as short as people write them, all different. */
export function freshTexts(count: number): string[] {
  const random = seededRandom(1);
  const texts = new Set<string>();
  while (texts.size < count) texts.add(shuffled(WORDS, random).slice(0, WORDS_A_TEXT).join(' '));
  return [...texts];
}
