import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelIdentity } from '../embedding/embedder.js';
import { ReachError, sentenceOf } from '../errors.js';
import { uncalibratedWeights, type Weights, WeightsSchema } from '../routing/weights.js';
import { checkOf } from '../wire/check.js';

const ALONE = 'weights.json';
const WITH_ENGLISH = 'weights-with-english.json';
const check = checkOf(WeightsSchema);

async function readWhereThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ReachError('MODEL_INVALID', `${path} cannot be read.`, { cause: error });
  }
}

function parse(text: string, path: string): Weights {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ReachError('MODEL_INVALID', `${path} is not JSON.`, { cause });
  }
  const errors = check(value);
  if (errors.length === 0) return value as Weights;
  throw new ReachError('MODEL_INVALID', `${path} is not valid: ${sentenceOf(errors)}.`, { errors });
}

/**
 * The weights that stand beside a model; uncalibrated ones where the folder has none. `withEnglish`: those that
 * know a second model for English, if there are any.
 * @throws ReachError MODEL_INVALID where the file is broken or belongs to another model
 */
export async function readWeights(
  modelFolder: string,
  model: ModelIdentity,
  { withEnglish }: { readonly withEnglish: boolean },
): Promise<Weights> {
  for (const name of withEnglish ? [WITH_ENGLISH, ALONE] : [ALONE]) {
    const path = join(modelFolder, name);
    const text = await readWhereThere(path);
    if (text === undefined) continue;
    const weights = parse(text, path);
    if (weights.model_sha256 === model.hash) return weights;
    const detail = `${path} belongs to the model ${weights.model_sha256.slice(0, 12)}, not to ${model.name} (${model.hash.slice(0, 12)}).`;
    throw new ReachError('MODEL_INVALID', detail);
  }
  return uncalibratedWeights(model.hash);
}
