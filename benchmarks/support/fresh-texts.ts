import { seededRandom } from './seeded-random.js';

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

/**
 * Texts that no cache has seen, as short as people write them. Two of a pair have the same words in another
 * order and so the same number of tokens: they cost a model the same.
 */
export function freshPairs(count: number): (readonly [string, string])[] {
  const random = seededRandom(1);
  const seen = new Set<string>();
  const pairs: (readonly [string, string])[] = [];
  while (pairs.length < count) {
    const words = shuffled(WORDS, random).slice(0, WORDS_A_TEXT);
    const pair = [words.join(' '), shuffled(words, random).join(' ')] as const;
    if (pair[0] === pair[1] || pair.some((text) => seen.has(text))) continue;
    for (const text of pair) seen.add(text);
    pairs.push(pair);
  }
  return pairs;
}
