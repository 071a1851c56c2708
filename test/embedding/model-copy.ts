import { copyFile, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { temporaryFolder } from '../support/temporary-folder.js';

export const SMALL_MODEL = 'bge-small-en-v1.5';

type Document = Record<string, unknown> & { files: Record<string, string> };

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
