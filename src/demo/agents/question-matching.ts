import { tokensOf } from '../text-tokens.js';

/** The best of several questions for what was asked, and how well it fits: 0 nothing in common, 1 the same words. */
export interface QuestionMatch {
  readonly index: number;
  readonly score: number;
}

/**
 * Finds questions by the words they share with what was asked: words of Latin script, pairs of neighbouring
 * characters of Chinese. The score is the cosine of the two texts with each token weighted by its rarity among
 * the questions (inverse document frequency, Sparck Jones 1972), so that "what is the" finds nothing, and a
 * word that no question has speaks against all of them.
 */
export class QuestionIndex {
  readonly #questions: readonly ReadonlySet<string>[];
  readonly #frequency = new Map<string, number>();

  constructor(questions: readonly string[]) {
    this.#questions = questions.map(tokensOf);
    for (const token of this.#questions.flatMap((tokens) => [...tokens])) {
      this.#frequency.set(token, (this.#frequency.get(token) ?? 0) + 1);
    }
  }

  best(asked: string): QuestionMatch | undefined {
    const tokens = tokensOf(asked);
    return this.#questions
      .map((question, index) => ({ index, score: this.#similarity(tokens, question) }))
      .reduce<QuestionMatch | undefined>(
        (best, each) => (best === undefined || each.score > best.score ? each : best),
        undefined,
      );
  }

  #similarity(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
    const shared = [...a].filter((token) => b.has(token));
    const lengths = Math.sqrt(this.#weight(a) * this.#weight(b));
    return lengths === 0 ? 0 : this.#weight(shared) / lengths;
  }

  /** The square of the length of the tokens' vector. */
  #weight(tokens: Iterable<string>): number {
    let sum = 0;
    for (const token of tokens) {
      sum += Math.log(1 + this.#questions.length / (this.#frequency.get(token) ?? 1)) ** 2;
    }
    return sum;
  }
}
