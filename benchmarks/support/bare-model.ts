import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AutoModel, AutoTokenizer, env } from '@xenova/transformers';
import type { TextKind } from '../../src/embedding/embedder.js';
import { SESSION_OPTIONS } from '../../src/embedding/text-model.js';

/** Tokenising and one forward pass of a batch, behind the model's prefix: the least that its vectors can cost. */
export type BareModel = (batch: readonly string[], kind: TextKind) => Promise<void>;

/** The model that English texts are given to beside the default one. */
export const ENGLISH_MODEL = 'bge-small-en-v1.5';

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
  return async (batch, kind) => {
    const texts = batch.map((text) => prefix[kind] + text);
    await model(tokenizer(texts, { padding: true }));
  };
}
