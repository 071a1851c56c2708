import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { MODELS_FOLDER } from '../support/shared-embedder.js';

export const SMALL_MODEL = 'bge-small-en-v1.5';

type Document = Record<string, unknown> & { files: Record<string, string> };

/** A folder of its own for the running test, gone when the test is. */
export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reach-model-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A model folder for the running test to spoil: small files are copies, the weights a link to the shipped ones. */
export async function modelCopy(change: (document: Document) => void = () => {}): Promise<string> {
  const source = join(MODELS_FOLDER, SMALL_MODEL);
  const folder = await temporaryFolder();
  const document = JSON.parse(await readFile(join(source, 'reach.json'), 'utf8')) as Document;
  for (const file of Object.keys(document.files)) {
    const target = join(folder, file);
    await mkdir(dirname(target), { recursive: true });
    await (file.endsWith('.onnx')
      ? symlink(join(source, file), target)
      : copyFile(join(source, file), target));
  }
  change(document);
  await writeFile(join(folder, 'reach.json'), JSON.stringify(document));
  return folder;
}
