import { describe, expect, it } from 'vitest';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import { changedQueries } from '../../src/judging/changed-queries.js';
import { type AnswerPair, comparedPairs } from '../../src/judging/compare-answers.js';
import type { JudgedAnswer } from '../../src/judging/judged-answers.js';
import { judgementOf } from '../../src/judging/tune-verdict.js';

const LABEL: LabelledQuery = { line: 1, intent: 'go', payload: null, expected: ['a/go'], lang: 'en' };

/** `right` and `sure` as letters: R or W for right and wrong, small where it is not sure. */
function answer(letter: string): JudgedAnswer {
  const right = letter.toUpperCase() === 'R';
  const sure = letter === letter.toUpperCase();
  return {
    label: LABEL,
    predicted: right ? 'a/go' : 'a/stop',
    inScope: true,
    right,
    rightInFive: true,
    place: right ? 0 : 1,
    sure,
    confidence: sure ? 0.9 : 0.5,
    lang: 'en',
    latencyMs: 1,
  };
}

/** So many pairs of each kind: `{ WR: 3 }` are three that were wrong and sure, and are right and sure now. */
const pairsOf = (counts: Readonly<Record<string, number>>): AnswerPair[] =>
  Object.entries(counts).flatMap(([[before = '', after = ''], count]) =>
    Array.from({ length: count }, () => ({ before: answer(before), after: answer(after) })),
  );

function verdictOf(counts: Readonly<Record<string, number>>) {
  const pairs = pairsOf(counts);
  return judgementOf(comparedPairs(pairs, { before: 0.75, after: 0.75 }), pairs.length * 3);
}

describe('the verdict', () => {
  it('is worse, and the weights are refused, where top-1 or precision is down for sure', () => {
    expect(verdictOf({ RR: 280, RW: 20 })).toMatchObject({ verdict: 'worse', refused: true });
    // As many are right; more of the wrong ones are acted on.
    const lessPrecise = verdictOf({ RR: 280, wW: 20 });
    expect(lessPrecise).toMatchObject({ verdict: 'worse', refused: true });
    expect(lessPrecise.verdict_reason).toMatch(/precision -0\.0\d/);
    expect(lessPrecise.verdict_reason).not.toMatch(/top-1/);
  });

  it('is better where a figure is up for sure and none may be down by more than tolerated', () => {
    const better = verdictOf({ RR: 280, WR: 20 });
    expect(better).toMatchObject({ verdict: 'better', refused: false, labels_more: null });
    expect(better.verdict_reason).toMatch(/top-1 \+0\.0\d/);
    expect(verdictOf({ RR: 200, rR: 60 })).toMatchObject({ verdict: 'better', refused: false });
  });

  it('is that nothing differs where intervals are narrow and lie on both sides of 0', () => {
    expect(verdictOf({ RR: 600, RW: 5, WR: 5 })).toMatchObject({ verdict: 'same', refused: false });
  });

  it('is that the sample is too small to tell where it may as well be worse, and how many more labels it takes', () => {
    const small = verdictOf({ RR: 60, RW: 6, WR: 6 });
    expect(small).toMatchObject({ verdict: 'too_small', refused: true });
    expect(small.labels_more).toBeGreaterThan(50);
    expect(small.labels_more).toBeLessThan(2_000);
    expect(small.verdict_reason).toContain(`About ${small.labels_more} more would.`);
  });

  it('is that ten labels are too few even where nothing changes, which is no reason to refuse', () => {
    expect(verdictOf({ RR: 10 })).toMatchObject({ verdict: 'too_small', refused: false, labels_more: 150 });
    expect(verdictOf({})).toMatchObject({ verdict: 'too_small', refused: false });
  });
});

it('tells which queries get better and worse, by what would be done with them', () => {
  const { better, worse } = changedQueries(pairsOf({ RR: 5, WR: 1, rR: 12, Rw: 1, RW: 1, ww: 3 }));
  const steps = (queries: typeof better) => queries.map(({ before, after }) => [before.sure, after.sure]);
  expect(better).toHaveLength(10);
  expect(steps(better)[0]).toEqual([true, true]);
  expect(steps(better).slice(1)).toEqual(Array.from({ length: 9 }, () => [false, true]));
  expect(steps(worse)).toEqual([
    [true, true],
    [true, false],
  ]);
});
