import type { TextKind } from './embedder.js';
import { ModelClient } from './model-client.js';
import type { ModelFolder } from './model-folder.js';

const SENTENCES = [
  'turn this table into json',
  'where is my order',
  '生成本周销售周报摘要',
  'Ich hätte gern drei Tage Urlaub',
];

/** 32 texts of many lengths, so that batches of them are padded. */
const TEXTS = Array.from({ length: 32 }, (_, index) => {
  const sentence = SENTENCES[index % SENTENCES.length] ?? '';
  return `${sentence} ${index} ${'and then the next one '.repeat(index % 9)}`;
});

const KIND: TextKind = 'query';

/**
 * Whether a text's vector has the same bits alone and among others, found by trying. The folder's own
 * `batchInvariant` is not looked at.
 * @throws ReachError MODEL_INVALID where the model does not load.
 */
export async function measureBatchInvariance(folder: ModelFolder): Promise<boolean> {
  const description = { ...folder.description, batchInvariant: true };
  const client = new ModelClient({ ...folder, description });
  try {
    await client.ready;
    const together = await client.embed(TEXTS, KIND);
    for (const [index, text] of TEXTS.entries()) {
      const [alone] = await client.embed([text], KIND);
      if (!alone?.every((value, position) => Object.is(value, together[index]?.[position]))) return false;
    }
    return true;
  } finally {
    await client.close();
  }
}
