import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ModelQuestion } from '../../src/embedding/hub-settings.js';
import { addModel } from '../../src/embedding/model-download.js';
import { MODELS_FOLDER } from '../support/shared-embedder.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { SMALL_MODEL } from './model-copy.js';

type Answer = object | string | number | 'break off';

/** A hub on this machine: the files of a shipped model under `owner/<its name>`, and what `extra` puts in place. */
async function startHub(model: string, extra: Readonly<Record<string, Answer>> = {}): Promise<string> {
  const server = createServer(async (request, response) => {
    const [, file] = /^\/owner\/[^/]+\/resolve\/main\/(.+)$/.exec(request.url ?? '') ?? [];
    const answer = extra[file ?? ''];
    if (answer === 'break off') {
      response.writeHead(200, { 'content-length': '1000' }).write('half', () => response.destroy());
    } else if (typeof answer === 'number') {
      response.writeHead(answer).end();
    } else if (answer !== undefined) {
      response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
    } else {
      const bytes = await readFile(join(MODELS_FOLDER, model, file ?? '')).catch(() => undefined);
      response.writeHead(bytes === undefined ? 404 : 200).end(bytes);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

interface Addition {
  readonly model?: string;
  readonly hubId?: string;
  readonly hub?: string;
  readonly answers?: Readonly<Record<string, string>>;
}

async function add({ model = SMALL_MODEL, hubId = `owner/${model}`, hub, answers = {} }: Addition) {
  const modelsFolder = await temporaryFolder();
  const asked: ModelQuestion['about'][] = [];
  const steps: string[] = [];
  const adding = addModel({
    hubId,
    modelsFolder,
    ask: async ({ about }) => {
      asked.push(about);
      return answers[about] ?? '';
    },
    onProgress: (step) => steps.push(step),
    hub: hub ?? (await startHub(model)),
  });
  return { adding, modelsFolder, asked, steps };
}

const POOLING = '1_Pooling/config.json';
const PROMPTS = 'config_sentence_transformers.json';

describe('a model of the hub becomes one of ours', () => {
  test('by what a person says, where the hub is silent; batches are found to change vectors', async () => {
    const { adding, modelsFolder, asked, steps } = await add({
      answers: { pooling: 'cls', prefix_query: 'ask: ', prefix_passage: '' },
    });
    const { path, description } = await adding;
    expect(path).toBe(join(modelsFolder, SMALL_MODEL));
    expect(description).toMatchObject({
      name: SMALL_MODEL,
      dim: 384,
      pooling: 'cls',
      prefix: { query: 'ask: ', passage: '' },
      maxTokens: 512,
      dtype: 'q8',
      batchInvariant: false,
    });
    expect(asked).toEqual(['pooling', 'prefix_query', 'prefix_passage']);
    expect(steps).toContain('downloading onnx/model_quantized.onnx');
    const written = JSON.parse(await readFile(join(path, 'reach.json'), 'utf8'));
    expect(written).toMatchObject({ format: 1, source: `owner/${SMALL_MODEL}`, normalize: true });
    expect(await readdir(modelsFolder)).toEqual([SMALL_MODEL]);
  });

  test('by what the hub says, where it does; batches are found to change nothing', async () => {
    const model = 'multilingual-e5-small';
    const hub = await startHub(model, {
      'modules.json': [
        { type: 'sentence_transformers.models.Transformer' },
        { type: 'sentence_transformers.models.Pooling' },
        { type: 'sentence_transformers.models.Normalize' },
      ],
      [POOLING]: {
        word_embedding_dimension: 384,
        pooling_mode_cls_token: false,
        pooling_mode_mean_tokens: true,
      },
      [PROMPTS]: { prompts: { query: 'query: ', document: 'passage: ' } },
      'sentence_bert_config.json': { max_seq_length: 256 },
    });
    const { adding, asked } = await add({ model, hub });
    expect((await adding).description).toMatchObject({
      pooling: 'mean',
      prefix: { query: 'query: ', passage: 'passage: ' },
      maxTokens: 256,
      batchInvariant: true,
    });
    expect(asked).toEqual([]);
  });
});

describe('a model is not added, and nothing stays behind', () => {
  const BAD_ID = 'no-owner';

  test.each<[string, Readonly<Record<string, Answer>>, RegExp, Addition?]>([
    ['an id that is none', {}, /looks like owner\/name/, { hubId: BAD_ID }],
    ['an id that leads elsewhere', {}, /looks like owner\/name/, { hubId: 'owner/..' }],
    [
      'a file that the hub lacks',
      { 'onnx/model_quantized.onnx': 404 },
      /has no file onnx\/model_quantized\.onnx/,
    ],
    ['a model that the hub refuses to give', { 'config.json': 401 }, /cannot be downloaded: HTTP 401/],
    ['a download that breaks off', { 'tokenizer.json': 'break off' }, /tokenizer\.json cannot be downloaded/],
    ['a description that is no JSON', { 'config.json': '{' }, /config\.json is not valid JSON/],
    [
      'a pooling that is not supported',
      { [POOLING]: { pooling_mode_lasttoken: true } },
      /pools by lasttoken/,
    ],
    ['a part after the transformer', { 'modules.json': [{ type: 'models.Dense' }] }, /has a part Dense/],
    ['an answer that is none', {}, /must be mean or cls, not "max"/, { answers: { pooling: 'max' } }],
    [
      'weights that do not load',
      { 'onnx/model_quantized.onnx': 'x', [POOLING]: { pooling_mode_cls_token: true } },
      /did not start/,
    ],
    ['no dimension', { 'config.json': { model_type: 'bert' } }, /how many numbers/],
  ])('%s', async (_, extra, sentence, addition = {}) => {
    const { adding, modelsFolder } = await add({ hub: await startHub(SMALL_MODEL, extra), ...addition });
    await expect(adding).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(sentence),
    });
    expect(await readdir(modelsFolder)).toEqual([]);
  });

  test('a hub that is out of reach', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const { port } = closed.address() as AddressInfo;
    closed.close();
    await once(closed, 'close');
    const { adding, modelsFolder } = await add({ hub: `http://127.0.0.1:${port}` });
    await expect(adding).rejects.toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringMatching(/cannot be downloaded: .*ECONNREFUSED/),
    });
    expect(await readdir(modelsFolder)).toEqual([]);
  });

  test('a name that is taken', async () => {
    const ask = async () => 'cls';
    const adding = addModel({
      hubId: `owner/${SMALL_MODEL}`,
      modelsFolder: MODELS_FOLDER,
      ask,
      onProgress: () => {},
    });
    await expect(adding).rejects.toMatchObject({ message: expect.stringMatching(/already a folder/) });
  });
});
