import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AutoModel, AutoTokenizer, env } from '@xenova/transformers';
import { SESSION_OPTIONS } from '../../src/embedding/text-model.js';

/** Tokenising and one forward pass of one text, behind the model's prefix: the least that a vector can cost. */
export type BareModel = (text: string) => Promise<void>;

/** Loads a model of `modelsFolder` without anything of ours around it, in a session like ours. */
export async function loadBareModel(modelsFolder: string, name: string): Promise<BareModel> {
  env.allowRemoteModels = false;
  env.localModelPath = modelsFolder;
  const { prefix } = JSON.parse(readFileSync(join(modelsFolder, name, 'reach.json'), 'utf8'));
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModel.from_pretrained(name, {
    dtype: 'q8',
    session_options: SESSION_OPTIONS,
  });
  return async (text) => {
    await model(tokenizer(prefix.query + text));
  };
}
