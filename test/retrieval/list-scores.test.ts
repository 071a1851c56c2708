import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { FieldIndex } from '../../src/retrieval/field-index.js';
import { InvertedIndex } from '../../src/retrieval/inverted-index.js';
import { LexicalIndex } from '../../src/retrieval/lexical-index.js';
import { PostingList } from '../../src/retrieval/posting-list.js';
import { termsOf } from '../../src/retrieval/terms.js';

const everything = () => true;
/** Some common and some rare words, so that lists have all lengths. */
const word = fc.integer({ min: 0, max: 60 }).map((number) => `w${Math.floor(number ** 2 / 60)}`);
const words = (minLength: number, maxLength: number) =>
  fc.array(word, { minLength, maxLength }).map((list) => list.join(' '));

describe('the best by words', () => {
  it('are those of adding up everything, whoever was removed or is not accepted', () => {
    fc.assert(
      fc.property(
        fc.array(words(1, 12), { minLength: 1, maxLength: 1_500 }),
        words(1, 8),
        fc.integer({ min: 2, max: 7 }),
        fc.integer({ min: 1, max: 24 }),
        (texts, query, nth, k) => {
          const index = new LexicalIndex();
          for (const [id, text] of texts.entries()) index.add(id, termsOf(text));
          for (let id = 0; id < texts.length; id += nth) index.remove(id);
          const scores = index.scores(termsOf(query));
          const accepts = (id: number) => id % 3 !== 0;
          const all = texts
            .map((_, id) => ({ id, score: id % nth === 0 || !accepts(id) ? 0 : scores.of(id) }))
            .filter(({ score }) => score > 0)
            .sort((a, b) => b.score - a.score || a.id - b.id)
            .slice(0, k);
          const best = scores.best(k, accepts);
          // Sums in another order may differ in their last bit, and so the order of equals.
          expect(best.map((id) => scores.of(id).toFixed(9))).toEqual(
            all.map(({ score }) => score.toFixed(9)),
          );
          expect(new Set(best).size).toBe(best.length);
          expect(best.every((id) => id % nth !== 0 && accepts(id))).toBe(true);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('are found among tens of thousands, most of which share only common words with the intent', () => {
    const index = new LexicalIndex();
    for (let id = 0; id < 30_000; id += 1)
      index.add(id, termsOf(`please do the work ${id % 3_000} for us all`));
    const scores = index.scores(termsOf('please do the work 1234 for us all'));
    expect(scores.best(12, everything)).toEqual(
      Array.from({ length: 10 }, (_, i) => 1_234 + 3_000 * i).concat(scores.best(12, everything).slice(10)),
    );
    expect(scores.best(3, (id) => id > 20_000)).toEqual([22_234, 25_234, 28_234]);
  });

  it('are the same, and found in bounded time for thousands of words, however far apart replacements drive the ids', () => {
    const random = seededRandom(7);
    const text = (length: number) =>
      Array.from({ length }, () => `w${Math.floor(random() * 20_000).toString(36)}x`).join(' ');
    const dense = new LexicalIndex();
    const sparse = new LexicalIndex();
    for (let id = 0; id < 5_000; id += 1) {
      const terms = termsOf(text(30));
      dense.add(id, terms);
      sparse.add(10_000 * id, terms);
    }
    const intent = text(3_000);
    const startedAt = performance.now();
    const best = sparse.scores(termsOf(intent)).best(24, everything);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
    expect(best).toEqual(
      dense
        .scores(termsOf(intent))
        .best(24, everything)
        .map((id) => 10_000 * id),
    );
  });
});

describe('the best by fields', () => {
  it('know the rarer fields; equal ones come by their id', () => {
    const index = new FieldIndex();
    for (let id = 0; id < 5_000; id += 1) index.add(id, id % 1_000 === 7 ? ['since', 'iban'] : ['since']);
    expect(index.scores(new Set(['since', 'iban', 'unknown'])).best(7, everything)).toEqual([
      7, 1_007, 2_007, 3_007, 4_007, 0, 1,
    ]);
    index.remove(7);
    expect(index.scores(new Set(['iban'])).best(7, everything)).toEqual([1_007, 2_007, 3_007, 4_007]);
    expect(index.scores(new Set()).best(7, everything)).toEqual([]);
  });

  it('are found wherever their ids lie', () => {
    const index = new FieldIndex();
    for (let id = 0; id <= 1_536; id += 1) index.add(id, id % 512 === 0 ? ['iban'] : []);
    expect(index.scores(new Set(['iban'])).best(7, everything)).toEqual([0, 512, 1_024, 1_536]);
  });
});

describe('a posting list', () => {
  const filled = (size: number) => {
    const list = new PostingList('term', 0);
    for (let id = 0; id < size; id += 1) list.append(3 * id, id + 1, 10 * id);
    return list;
  };

  it('drops who is gone when they are more than a quarter, and keeps the entries of the others', () => {
    const list = filled(10);
    const gone = new Set<number>();
    for (const id of [0, 6, 27]) {
      gone.add(id);
      list.forgetOne((other) => !gone.has(other));
    }
    expect([list.size, list.documents]).toEqual([7, 7]);
    const { ids, counts, lengths } = list.columns;
    const kept = [3, 9, 12, 15, 18, 21, 24];
    const entries = kept.map((_, at) => [ids[at], counts[at], lengths[at]]);
    expect(entries).toEqual(kept.map((id) => [id, id / 3 + 1, (10 * id) / 3]));
    list.append(30, 70_000, 5);
    expect([list.idAt(7), list.columns.counts[7]]).toEqual([30, 65_535]);
  });

  it('is not kept where nobody holds its term any more', () => {
    const index = new InvertedIndex();
    index.add(1, new Map([['a', 1]]), 1);
    index.remove(1);
    index.remove(1);
    expect([index.size, index.list('a')]).toEqual([0, undefined]);
    index.add(2, new Map([['b', 1]]), 1);
    expect(index.listNumbers).toBe(1);
  });
});
