import { foldText } from '../retrieval/fold.js';
import { termsOf } from '../retrieval/terms.js';
import { groupedBy } from './grouped-by.js';

/** Texts say nearly the same that have so much in common of all the terms that either has. */
const NEAR = 0.7;
/** What differs in numbers alone is the same sentence. */
const NUMBERS = /\p{Nd}+/gu;

/**
 * Which texts say nearly the same: clusters of two or more, by their places, in the order of their first text. What is
 * near to one text of a cluster belongs to it. It goes by words, or by characters where a script has no spaces, and so
 * works in any language; a translation or another wording is not seen.
 *
 * A text is looked up by its rarest terms only, by as many as it cannot lack all of and still be near (the prefix
 * filter of Bayardo, Ma and Srikant, *Scaling Up All Pairs Similarity Search*, 2007).
 */
export function nearDuplicates(texts: readonly string[]): readonly (readonly number[])[] {
  const terms = rarestFirst(texts.map(distinctTermsOf));
  const clusters = new Clusters(texts.length);
  const firstWithSame = new Map<string, number>();
  const textsByTerm = new Map<number, number[]>();
  for (const [text, own] of terms.entries()) {
    const same = firstWithSame.get(own.join());
    if (same !== undefined) {
      clusters.join(same, text);
      continue;
    }
    firstWithSame.set(own.join(), text);
    const rarest = own.slice(0, own.length - Math.ceil(NEAR * own.length) + 1);
    for (const other of rarest.flatMap((term) => textsByTerm.get(term) ?? []))
      if (!clusters.areJoined(other, text) && areNear(own, terms[other] ?? [])) clusters.join(other, text);
    for (const term of rarest) {
      const known = textsByTerm.get(term);
      if (known === undefined) textsByTerm.set(term, [text]);
      else known.push(text);
    }
  }
  return clusters.ofSeveral();
}

function distinctTermsOf(text: string): readonly string[] {
  const terms = [...termsOf(text.replace(NUMBERS, '0')).keys()];
  // Signs alone, such as emoji, are no terms.
  return terms.length > 0 ? terms : [foldText(text)];
}

/** The terms of each text as numbers that rise with how many texts have them. */
function rarestFirst(texts: readonly (readonly string[])[]): readonly (readonly number[])[] {
  const counts = new Map<string, number>();
  for (const term of texts.flat()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const byCount = [...counts].sort(([, a], [, b]) => a - b);
  const ranks = new Map(byCount.map(([term], rank) => [term, rank]));
  return texts.map((terms) => terms.map((term) => ranks.get(term) ?? 0).sort((a, b) => a - b));
}

/** Of rising numbers. */
function areNear(a: readonly number[], b: readonly number[]): boolean {
  if (Math.min(a.length, b.length) < NEAR * Math.max(a.length, b.length)) return false;
  let [i, j, common] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const difference = (a[i] ?? 0) - (b[j] ?? 0);
    if (difference === 0) common += 1;
    if (difference <= 0) i += 1;
    if (difference >= 0) j += 1;
  }
  return common >= NEAR * (a.length + b.length - common);
}

/** Disjoint sets of places. */
class Clusters {
  readonly #parents: number[];

  constructor(size: number) {
    this.#parents = Array.from({ length: size }, (_, place) => place);
  }

  join(a: number, b: number): void {
    const [one, other] = [this.#rootOf(a), this.#rootOf(b)];
    this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  areJoined(a: number, b: number): boolean {
    return this.#rootOf(a) === this.#rootOf(b);
  }

  ofSeveral(): readonly (readonly number[])[] {
    const clusters = groupedBy(this.#parents.keys(), (place) => this.#rootOf(place));
    return [...clusters.values()].filter(({ length }) => length > 1);
  }

  #rootOf(place: number): number {
    let root = place;
    for (
      let parent = this.#parents[root];
      parent !== undefined && parent !== root;
      parent = this.#parents[root]
    )
      root = parent;
    this.#parents[place] = root;
    return root;
  }
}
