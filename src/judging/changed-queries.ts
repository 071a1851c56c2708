import type { AnswerPair } from './compare-answers.js';
import type { JudgedAnswer } from './judged-answers.js';
import type { ComparedQuery, QueryAnswer } from './tune-report.js';

const TOLD = 10;

/** What an answer is worth: one that is acted on rightly, one that goes to a person, one that is acted on wrongly. */
const worthOf = ({ sure, right }: JudgedAnswer) => (sure ? (right ? 1 : -1) : 0);
/** How near the confidence lies to the truth, 0..1. */
const truthOf = ({ right, confidence }: JudgedAnswer) => (right ? confidence : 1 - confidence);

function gainOf({ before, after }: AnswerPair): number {
  const worth = worthOf(after) - worthOf(before);
  // Between answers of the same worth, how near they are to the truth.
  return worth + (truthOf(after) - truthOf(before)) / 4;
}

const toAnswer = ({ predicted, right, confidence, sure }: JudgedAnswer): QueryAnswer => ({
  predicted,
  right,
  confidence,
  sure,
});

const toQuery = ({ before, after }: AnswerPair): ComparedQuery => ({
  intent: before.label.intent,
  lang: before.label.lang,
  expected: before.label.expected,
  before: toAnswer(before),
  after: toAnswer(after),
});

/** The queries of which something else becomes, those with the greatest gain and those with the greatest loss. */
export function changedQueries(pairs: readonly AnswerPair[]) {
  const changed = pairs
    .filter(({ before, after }) => before.right !== after.right || before.sure !== after.sure)
    .map((pair) => ({ pair, gain: gainOf(pair) }))
    .sort((a, b) => b.gain - a.gain);
  const better = changed.filter(({ gain }) => gain > 0).slice(0, TOLD);
  const worse = changed
    .filter(({ gain }) => gain < 0)
    .toReversed()
    .slice(0, TOLD);
  return {
    better: better.map(({ pair }) => toQuery(pair)),
    worse: worse.map(({ pair }) => toQuery(pair)),
  };
}
