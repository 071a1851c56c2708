/** What the confidence in the best group is made of. Weights refer to them by name. */
export const CONFIDENCE_INPUTS = [
  'softmax_logit',
  'relevance',
  'margin',
  'lead',
  'meaning_lead',
  'similarity',
  'beside_similarity',
  'english_similarity',
  'beside_english',
  'lexical',
  'all_fit',
  'fit_evidence',
  'unknown_words',
  'log_capabilities',
  'agreement',
] as const;
export type ConfidenceInput = (typeof CONFIDENCE_INPUTS)[number];
export type ConfidenceInputs = Readonly<Record<ConfidenceInput, number>>;
