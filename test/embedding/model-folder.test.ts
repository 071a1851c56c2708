import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openModelFolder } from '../../src/embedding/model-folder.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { modelCopy, SMALL_MODEL } from './model-copy.js';

describe('a model is found', () => {
  test('by its name, with the hash of its reach.json as identity', async () => {
    const { path, identity } = await openModelFolder(SMALL_MODEL, MODELS_FOLDER);
    const source = await readFile(join(MODELS_FOLDER, SMALL_MODEL, 'reach.json'));
    const hash = createHash('sha256').update(source).digest('hex');
    expect(path).toBe(join(MODELS_FOLDER, SMALL_MODEL));
    expect(identity).toEqual({ name: SMALL_MODEL, hash, dim: 384 });
  });

  test('by an absolute path, and by one relative to the working folder', async () => {
    const folder = await modelCopy();
    expect((await openModelFolder(folder, MODELS_FOLDER)).path).toBe(folder);
    const upwards = relative(process.cwd(), folder);
    expect(upwards).toMatch(/^\.\./);
    expect((await openModelFolder(upwards, MODELS_FOLDER)).path).toBe(folder);
  });
});

describe('a model is refused with one sentence', () => {
  const refused = (sentence: RegExp, pointer?: string) =>
    expect.objectContaining({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(sentence),
      ...(pointer !== undefined && { errors: [expect.objectContaining({ pointer })] }),
    });

  test('no such folder', async () => {
    await expect(openModelFolder('no-such-model', MODELS_FOLDER)).rejects.toEqual(
      refused(/no model "no-such-model"/),
    );
    await expect(openModelFolder('../no/such', MODELS_FOLDER)).rejects.toEqual(refused(/no model/));
  });

  test('no reach.json', async () => {
    await expect(openModelFolder(await temporaryFolder(), MODELS_FOLDER)).rejects.toEqual(
      refused(/no reach\.json/),
    );
  });

  test('a reach.json that is no JSON', async () => {
    const folder = await modelCopy();
    await writeFile(join(folder, 'reach.json'), '{"format": 1,');
    await expect(openModelFolder(folder, MODELS_FOLDER)).rejects.toEqual(refused(/not valid JSON/));
  });

  test('a listed file that is missing', async () => {
    const folder = await modelCopy();
    await rm(join(folder, 'onnx/model_quantized.onnx'));
    await expect(openModelFolder(folder, MODELS_FOLDER)).rejects.toEqual(
      refused(/model_quantized\.onnx is missing/),
    );
  });

  test('a listed file that is another', async () => {
    const folder = await modelCopy();
    await writeFile(join(folder, 'config.json'), '{}');
    await expect(openModelFolder(folder, MODELS_FOLDER)).rejects.toEqual(
      refused(/config\.json is not the one/, '/files/config.json'),
    );
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['another format', { format: 2 }, '/format'],
    ['a pooling that is not known', { pooling: 'max' }, '/pooling'],
    ['vectors that are not of length 1', { normalize: false }, '/normalize'],
    ['half a prefix', { prefix: { query: '' } }, '/prefix/passage'],
    ['a dimension that is no number', { dim: '384' }, '/dim'],
    ['a window of nothing', { max_tokens: 0 }, '/max_tokens'],
    ['weights of an unknown kind', { dtype: 'toString' }, '/dtype'],
    ['nothing about batches', { batch_invariant: undefined }, '/batch_invariant'],
    ['no name', { name: '' }, '/name'],
    ['files as a list', { files: ['config.json'] }, '/files'],
  ])('%s', async (_, change, pointer) => {
    const folder = await modelCopy((document) => Object.assign(document, change));
    await expect(openModelFolder(folder, MODELS_FOLDER)).rejects.toEqual(refused(/reach\.json/, pointer));
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ['a file outside the folder', { '../secret': 'a'.repeat(64) }, '/files/..~1secret'],
    ['a checksum that is none', { 'config.json': 'abc' }, '/files/config.json'],
    [
      'weights that are not listed',
      { 'onnx/model_quantized.onnx': undefined },
      '/files/onnx~1model_quantized.onnx',
    ],
  ])('%s', async (_, files, pointer) => {
    const folder = await modelCopy((document) => Object.assign(document.files, files));
    await expect(openModelFolder(folder, MODELS_FOLDER)).rejects.toEqual(refused(/reach\.json/, pointer));
  });
});
