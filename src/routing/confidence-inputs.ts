/**
 * What the confidence in the best group is made of. Weights refer to them by name.
 *
 * - Against the other groups: `softmax_logit`, the log-odds of its share in a softmax over the best sixteen; `standout`,
 *   how far its cosine of the main model lies above the mean of all, in standard deviations (`beside_standout` where the
 *   English model knows it too); `rivals_fitting`, the logarithm of one more than how many a payload fits as a whole.
 * - Its own: `meaning`, its relevance without the payload; `english_similarity`, its cosine by the English model, 0 where
 *   that does not know it; `lexical`; `fields_evidence`.
 * - Of the request: `other_language`, the share of the candidates that are described in another language.
 */
export const CONFIDENCE_INPUTS = [
  'softmax_logit',
  'meaning',
  'english_similarity',
  'standout',
  'beside_standout',
  'lexical',
  'fields_evidence',
  'rivals_fitting',
  'other_language',
] as const;
export type ConfidenceInput = (typeof CONFIDENCE_INPUTS)[number];
export type ConfidenceInputs = Readonly<Record<ConfidenceInput, number>>;
