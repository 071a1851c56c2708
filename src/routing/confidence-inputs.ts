/**
 * What the confidence in the best group is made of. Weights refer to them by name. `standout` is how far its cosine
 * of the main model lies above those of the others, `beside_standout` the same where the English model knows it too.
 */
export const CONFIDENCE_INPUTS = [
  'softmax_logit',
  'meaning',
  'similarity',
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
