import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { AutoModel, AutoTokenizer, env } from '@xenova/transformers';

/** Tokenising and one forward pass of one text, behind the model's prefix: the least that a vector can cost. */
export type BareModel = (text: string) => Promise<void>;

/** Loads a model of `modelsFolder` without anything of ours around it, with as many threads as ours has. */
export async function loadBareModel(modelsFolder: string, name: string): Promise<BareModel> {
  env.allowRemoteModels = false;
  env.localModelPath = modelsFolder;
  const { prefix } = JSON.parse(readFileSync(join(modelsFolder, name, 'reach.json'), 'utf8'));
  const tokenizer = await AutoTokenizer.from_pretrained(name);
  const model = await AutoModel.from_pretrained(name, {
    dtype: 'q8',
    session_options: {
      intraOpNumThreads: Math.min(2, Math.max(1, availableParallelism() - 1)),
      interOpNumThreads: 1,
    },
  });
  return async (text) => {
    await model(tokenizer(prefix.query + text));
  };
}
