import { describe, expect, it } from 'vitest';
import { type Circumstances, conclusionsOf } from '../../src/evaluation/conclusions.js';
import { evaluationOf } from '../../src/evaluation/evaluation-report.js';
import type { Mark } from '../../src/evaluation/figures.js';

const ABOUT = { set: 's', capabilities: 10, threshold: 0.75, model: 'm', weightsVersion: 'w' };

const marks = (count: number, changes: Partial<Mark> = {}): Mark[] =>
  Array.from({ length: count }, () => ({
    inScope: true,
    right: true,
    rightInFive: true,
    confidence: 0.9,
    lang: 'en',
    latencyMs: 1,
    ...changes,
  }));

const nothingSpecial: Circumstances = {
  survey: {
    queries: 300,
    outOfScope: 100,
    withPayload: 100,
    langs: new Map([
      ['en', 200],
      ['zh', 100],
    ]),
    repeated: 0,
    contradicting: 0,
    declared: 0,
    unasked: 0,
    unread: new Map(),
  },
  payloadSent: true,
  leftOut: 0,
};
const wrong = { inScope: false, right: false, rightInFive: false };
const enough = [...marks(200), ...marks(100, wrong)];

function conclusions(some: readonly Mark[], survey: Partial<Circumstances['survey']> = {}) {
  const circumstances = { ...nothingSpecial, survey: { ...nothingSpecial.survey, ...survey } };
  return conclusionsOf(evaluationOf(some, ABOUT), circumstances);
}

describe('what can be concluded', () => {
  it('is everything where nothing stands in the way', () => {
    expect(conclusions(enough)).toEqual([]);
  });

  it('is told by intervals where there are five lines in all', () => {
    const [first] = conclusions([...marks(3), ...marks(2, wrong)]);
    expect(first).toMatch(
      /^5 queries are few: .*top1 may as well be 0\.44 or 1\.00; the calibration error of a perfect router/,
    );
  });

  it('is nothing about abstaining without an out-of-scope example', () => {
    expect(conclusions(marks(300))).toEqual([
      expect.stringContaining('oos_auroc, oos_rejected) cannot be told'),
    ]);
    expect(conclusions([...marks(290), ...marks(10, wrong)])).toEqual([
      expect.stringMatching(/^Only 10 queries out of scope/),
    ]);
  });

  it('is nothing about finding where all are out of scope', () => {
    expect(conclusions(marks(300, wrong))[0]).toMatch(/top1, top5, oos_auroc\) cannot be told/);
  });

  it('is nothing about precision where no confidence is high enough', () => {
    expect(conclusions(enough.map((mark) => ({ ...mark, confidence: 0.1 })))).toEqual([
      'No confidence reaches 0.75: precision cannot be told.',
    ]);
  });

  it.each([
    [{ langs: new Map([['zh', 300]]) }, /one language \(zh\)/],
    [
      {
        langs: new Map([
          ['und', 3],
          ['en', 297],
        ]),
      },
      /^3 queries without `lang`/,
    ],
    [{ repeated: 1 }, /^1 query repeat/],
    [{ repeated: 4, contradicting: 2 }, /^4 queries repeat/],
    [{ declared: 2 }, /^2 queries word for word an example/],
    [{ withPayload: 0 }, /^No query has a payload/],
    [{ unasked: 3 }, /^3 of 10 capabilities/],
    [{ unread: new Map([['note', 4]]) }, /note \(line 4\)/],
  ])('is limited by %j', (survey, sentence) => {
    expect(conclusions(enough, survey)[0]).toMatch(sentence);
  });

  it('is limited by payloads and patterns that were left out', () => {
    const evaluation = evaluationOf(enough, ABOUT);
    expect(conclusionsOf(evaluation, { ...nothingSpecial, payloadSent: false })[0]).toMatch(/withheld/);
    expect(conclusionsOf(evaluation, { ...nothingSpecial, leftOut: 2 })[0]).toMatch(/^2 patterns/);
  });
});
