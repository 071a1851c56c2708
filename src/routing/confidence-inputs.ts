/**
 * What the confidence in the best group is made of. Weights refer to them by name.
 *
 * - Against the other groups: `softmax_logit`, the log-odds of its share in a softmax over the best sixteen; `margin`
 *   and `lead`, how much more relevant it is than the fifth, and than the mean of those behind; `meaning_lead`, the
 *   lead without the payload; `agreement`, the share of the signals for which it is the best as well.
 * - Its own: `relevance`; `similarity`, the cosine to its centroid, or, where the English model knows it too,
 *   `beside_similarity` by the main model and `english_similarity` by the English one (`beside_english` is 1 then);
 *   `lexical`; `all_fit`, and `fit_evidence`, how rare the fields of a payload are that fits as a whole.
 * - Of the request: `unknown_words`, the share of the intent's words that no capability has; `log_capabilities`, the
 *   logarithm of the size of the catalogue.
 */
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
