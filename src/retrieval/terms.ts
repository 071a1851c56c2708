import { foldText } from './fold.js';

/** Scripts written without spaces between words; their units are characters and pairs of characters. */
const UNSPACED_CLASS = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]`;
/** Where the kind of script changes, a run ends: `把CSV转成JSON` has four. */
const RUNS = new RegExp(`${UNSPACED_CLASS}+|(?:(?!${UNSPACED_CLASS})[\\p{L}\\p{N}\\p{M}])+`, 'gu');
const UNSPACED = new RegExp(`^${UNSPACED_CLASS}`, 'u');
/** Shorter words have no trigram that a typo leaves whole. */
const TRIGRAM_FROM = 4;

/** The terms of a text, each with how often it occurs. */
export type TermCounts = ReadonlyMap<string, number>;

/**
 * The terms of a text for lexical search: words, three-character pieces of longer words (a typo spoils only
 * some of them), and characters with their pairs where a script has no spaces.
 */
export function termsOf(text: string): TermCounts {
  const terms = new Map<string, number>();
  const add = (term: string) => terms.set(term, (terms.get(term) ?? 0) + 1);
  for (const [run] of foldText(text).matchAll(RUNS)) {
    if (UNSPACED.test(run)) {
      const characters = [...run];
      for (const [i, character] of characters.entries()) {
        add(character);
        const next = characters[i + 1];
        if (next !== undefined) add(character + next);
      }
    } else {
      add(run);
      if (run.length < TRIGRAM_FROM) continue;
      const marked = `^${run}$`;
      for (let i = 0; i + 3 <= marked.length; i += 1) add(`~${marked.slice(i, i + 3)}`);
    }
  }
  return terms;
}
