import { tokensOf } from './text-tokens.js';

/** A text that shares words with what was asked: its place, and the share of the asked words' weight it has. */
export interface TextHit {
  readonly index: number;
  /** 0 (exclusive) to 1: all words of the query are in the text. */
  readonly score: number;
}

/**
 * Texts that have words of a query, the best first. Words weigh by their rarity among the texts (inverse document
 * frequency, Sparck Jones 1972); a word that no text has weighs most and so speaks against all of them.
 */
export function searchTexts(texts: readonly string[], query: string): readonly TextHit[] {
  const tokenised = texts.map(tokensOf);
  const weights = [...tokensOf(query)].map((token) => {
    const having = tokenised.filter((tokens) => tokens.has(token)).length;
    return [token, Math.log(1 + (texts.length - having + 0.5) / (having + 0.5))] as const;
  });
  const whole = weights.reduce((sum, [, weight]) => sum + weight, 0);
  return tokenised
    .map((tokens, index) => {
      const found = weights.reduce((sum, [token, weight]) => (tokens.has(token) ? sum + weight : sum), 0);
      return { index, score: whole === 0 ? 0 : found / whole };
    })
    .filter(({ score }) => score > 0)
    .toSorted((a, b) => b.score - a.score);
}
