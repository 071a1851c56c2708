import type { CapabilityNames } from '../evaluation/capability-names.js';
import type { ExplainedQuery } from '../evaluation/evaluate.js';
import { isExpected, type JudgedQuery } from '../evaluation/judge.js';
import { type LabelledQuery, NO_LANGUAGE } from '../evaluation/labelled-query.js';
import { shortened } from '../evaluation/shortened.js';
import type { Candidate } from '../wire/route.js';
import { comparisonText } from './comparison-text.js';
import { printable } from './printable.js';

const language = ({ lang }: LabelledQuery) => (lang === NO_LANGUAGE ? '' : ` (${lang})`);

function headline({ query, predicted, mark }: JudgedQuery, rank: number): string {
  const verdict = mark.right ? 'right' : 'wrong';
  const expected = query.expected.length === 0 ? 'nothing' : query.expected.join(' or ');
  const lines = [
    `${rank}. line ${query.line}${language(query)}, ${verdict} with a confidence of ${mark.confidence.toFixed(2)}: ${shortened(query.intent)}`,
    `expected ${expected}, found ${predicted ?? 'nothing'}`,
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}

/** Whom the best is held against: the right one where it is another, else the next. */
function opposite(judged: JudgedQuery, others: readonly Candidate[], names: CapabilityNames) {
  const { inScope, right } = judged.mark;
  if (right || !inScope) return others[0];
  return others.find((candidate) => isExpected(candidate, judged.query, names));
}

function reasons({ judged, decision }: ExplainedQuery, names: CapabilityNames): string {
  const [best, ...others] = decision.candidates;
  if (best === undefined) return 'There was no candidate at all.\n';
  const other = opposite(judged, others, names);
  if (other !== undefined) return comparisonText(best, other, decision.signalWeights ?? {});
  return judged.mark.right || !judged.mark.inScope
    ? 'There was no other candidate.\n'
    : `None of the ${decision.candidates.length} candidates is expected: its texts, words and fields are too far away.\n`;
}

/** What would have been right where nothing fits. */
function abstention({ judged: { mark }, decision: { threshold } }: ExplainedQuery): string {
  if (mark.inScope) return '';
  return mark.confidence < threshold
    ? `Nothing fits, and nobody was called: the confidence is under ${threshold}.\n`
    : `Nothing fits: a confidence under ${threshold} would have been right.\n`;
}

/** Why a query went wrong, or was right with little confidence. Ends with a newline. */
export function worstText(explained: ExplainedQuery, names: CapabilityNames, rank: number): string {
  return headline(explained.judged, rank) + reasons(explained, names) + abstention(explained);
}
