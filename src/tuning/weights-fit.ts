import { sentenceOf } from '../errors.js';
import { canonicalJson } from '../manifest/canonical-json.js';
import { type Weights, WeightsSchema } from '../routing/weights.js';
import { type Check, checkOf } from '../wire/check.js';

/** Whether something is a file of weights of this format. */
export const checkWeights: Check = checkOf(WeightsSchema);

const isSame = (one: unknown, other: unknown) => canonicalJson(one) === canonicalJson(other);

/**
 * Why weights cannot take the place of others while the vectors stay, as the end of a sentence that began with them;
 * undefined where they can.
 */
export function misfitOf(weights: Weights, others: Weights): string | undefined {
  if (weights.model_sha256 !== others.model_sha256)
    return `belong to the model ${weights.model_sha256.slice(0, 12)}, and ${others.model_sha256.slice(0, 12)} serves`;
  if (!isSame(weights.english_model, others.english_model))
    return `know ${englishModelOf(weights)}, and those of the configuration ${englishModelOf(others)}`;
  if (!isSame(weights.background, others.background))
    return 'have another background than the vectors were made with';
  return undefined;
}

/** The same of weights that were kept, perhaps by an earlier version of this program, or are not there any more. */
export function whyUnusable(weights: Weights | undefined, others: Weights): string | undefined {
  if (weights === undefined) return 'are lost';
  const errors = checkWeights(weights);
  if (errors.length > 0) return `are of another format (${sentenceOf(errors)})`;
  return misfitOf(weights, others);
}

function englishModelOf({ english_model }: Weights): string {
  if (english_model === null) return 'no model for English';
  return `the model for English ${english_model.name} (${english_model.sha256.slice(0, 12)})`;
}
