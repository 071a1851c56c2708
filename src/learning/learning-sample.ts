import type { CapabilityNames } from '../evaluation/capability-names.js';
import { isExpected } from '../evaluation/judge.js';
import type { LabelledQuery } from '../evaluation/labelled-query.js';
import { FEATURE_NAMES, type Features } from '../routing/features.js';
import type { Candidate, Decision } from '../wire/route.js';

/** A query whose right answer is known, as routing saw it: all that weights can be learned from. */
export interface LearningSample {
  readonly withPayload: boolean;
  /** Whether anything fits. */
  readonly inScope: boolean;
  readonly candidates: readonly Features[];
  /** Which of the candidates are right. */
  readonly right: readonly boolean[];
  /** The share of the candidates that are described in another language, 0..1. */
  readonly otherLanguage: number;
}

function featuresOf({ signals = {} }: Candidate): Features {
  return Float64Array.from(FEATURE_NAMES, (name) => signals[name] ?? 0);
}

/** What an answer with `explain` shows of the candidates that were in the running; undefined where none was. */
export function learningSampleOf(
  query: LabelledQuery,
  { candidates, confidenceInputs: inputs }: Decision,
  { withPayload, names }: { readonly withPayload: boolean; readonly names: CapabilityNames },
): LearningSample | undefined {
  if (inputs === undefined || candidates.length === 0) return undefined;
  return {
    withPayload,
    inScope: query.expected.length > 0,
    candidates: candidates.map(featuresOf),
    right: candidates.map((candidate) => isExpected(candidate, query, names)),
    otherLanguage: inputs.other_language ?? 0,
  };
}
