import type { Language } from '../asker-language.js';
import data from '../data/glossary.json' with { type: 'json' };

export const DOMAINS = ['finance', 'logistics', 'software', 'sales', 'hr'] as const;
export type Domain = (typeof DOMAINS)[number];

/** A pair of terms as the translators approved it. */
export interface Term {
  readonly domain: Domain;
  readonly zh: string;
  readonly en: string;
  readonly note?: string;
}

/** A term that occurs in a text, `length` characters from `at` on. */
export interface Occurrence {
  readonly at: number;
  readonly length: number;
  readonly term: Term;
}

const TERMS = data as readonly Term[];

/** Terms are found by their letters, in any case: `Bill of Lading` is `bill of lading`. */
const fold = (text: string) => text.normalize('NFKC').trim().toLowerCase();

export function termsOf(domain: Domain): readonly Term[] {
  return TERMS.filter((term) => term.domain === domain);
}

/** The pairs of which either side is this word; several where domains differ. */
export function pairsFor(word: string): readonly Term[] {
  const wanted = fold(word);
  return TERMS.filter(({ zh, en }) => zh === wanted || en === wanted);
}

/** The terms, in the word's own language, of which one contains the other. */
export function similarTo(word: string): readonly string[] {
  const wanted = fold(word);
  const near = (term: string) => term.includes(wanted) || (term.length > 1 && wanted.includes(term));
  return [...new Set(TERMS.flatMap(({ zh, en }) => [zh, en]).filter(near))];
}

/**
 * The terms of one language in a text, from left to right. Where terms overlap the longest counts; English
 * terms count as whole words, with a plural s or without.
 */
export function occurrencesIn(text: string, language: Language): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (const match of text.matchAll(PATTERNS[language])) {
    const [whole] = match;
    const term = pairsFor(whole)[0] ?? pairsFor(whole.replace(/s$/i, ''))[0];
    if (term !== undefined) found.push({ at: match.index, length: whole.length, term });
  }
  return found;
}

/** One pattern of all terms of a language, the longest first, since an alternation takes the first that fits. */
function patternOf(language: Language): RegExp {
  const words = TERMS.map((term) => term[language]).toSorted((a, b) => b.length - a.length);
  const any = words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return language === 'zh'
    ? new RegExp(any, 'g')
    : new RegExp(`(?<![\\p{Script=Latin}\\d])(?:${any})s?(?![\\p{Script=Latin}\\d])`, 'giu');
}

const PATTERNS: Readonly<Record<Language, RegExp>> = { zh: patternOf('zh'), en: patternOf('en') };
