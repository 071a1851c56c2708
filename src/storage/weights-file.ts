import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelIdentity } from '../embedding/embedder.js';
import { ReachError, sentenceOf } from '../errors.js';
import { uncalibratedWeights, type Weights } from '../routing/weights.js';
import { checkWeights } from '../tuning/weights-fit.js';

const FILE_NAME = 'weights.json';

/** The text of a file; undefined where it is not there and need not be. */
async function textOf(path: string, optional: boolean): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (optional && code === 'ENOENT') return undefined;
    throw new ReachError('MODEL_INVALID', `The weights ${path} cannot be read: ${message}`, { cause });
  }
}

function parse(text: string, path: string): Weights {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new ReachError('MODEL_INVALID', `${path} is not JSON.`, { cause });
  }
  const errors = checkWeights(value);
  if (errors.length === 0) return value as Weights;
  throw new ReachError('MODEL_INVALID', `${path} is not valid: ${sentenceOf(errors)}.`, { errors });
}

/** Where weights for a model are looked for. */
interface WeightsPlace {
  readonly modelFolder: string;
  /** A file of weights that goes before what stands in the folder; null: none was named. */
  readonly file: string | null;
}

/**
 * The weights of the named file, else those that stand beside the model, else uncalibrated ones.
 * @throws ReachError MODEL_INVALID where the file is broken or belongs to another model, or the named one is not there
 */
export async function readWeights(
  { modelFolder, file }: WeightsPlace,
  model: ModelIdentity,
): Promise<Weights> {
  const path = file ?? join(modelFolder, FILE_NAME);
  const text = await textOf(path, file === null);
  if (text === undefined) return uncalibratedWeights(model.hash);
  const weights = parse(text, path);
  if (weights.model_sha256 === model.hash) return weights;
  const detail = `${path} belongs to the model ${weights.model_sha256.slice(0, 12)}, not to ${model.name} (${model.hash.slice(0, 12)}).`;
  throw new ReachError('MODEL_INVALID', detail);
}
