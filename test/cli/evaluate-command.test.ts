import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReach } from '../../src/app.js';
import type { EvaluationReport } from '../../src/evaluation/evaluation-report.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const DATA = root('benchmarks/data/homeassistant_en');
const MANIFEST = join(DATA, 'manifest.json');
const WEIGHTS = root('models/multilingual-e5-small/weights.json');

const folder = await temporaryFolder(afterAll);
const at = (name: string) => join(folder, name);

interface Prediction {
  readonly expected: readonly string[];
  readonly predicted: string | null;
  readonly confidence: number;
  readonly outcome: string;
  readonly candidates: readonly { capability_id: string; confidence: number; score: number }[];
}

/** The command in this process, with the real engine. */
const evaluated = (...args: readonly string[]) => captured(['evaluate', ...args], { createReach });

const jsonOf = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8'));
const linesOf = async <T>(path: string): Promise<T[]> =>
  (await readFile(path, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

async function queriesFile(name: string, lines: readonly (object | string)[]): Promise<string> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  await writeFile(at(name), `${text.join('\n')}\n`);
  return at(name);
}

describe('on labelled intents', () => {
  let queries: string;
  let outcome: Awaited<ReturnType<typeof evaluated>>;
  let report: EvaluationReport;
  let predictions: Prediction[];

  beforeAll(async () => {
    const lines = (await readFile(join(DATA, 'queries.jsonl'), 'utf8')).split('\n').slice(0, 100);
    const strange = ['what is the capital of France', '写一首关于秋天的诗'].map((intent, i) => ({
      intent,
      expected: [],
      lang: i === 0 ? 'en' : 'zh',
    }));
    queries = await queriesFile('homes.jsonl', [...lines, ...strange]);
    const outputs = ['--json', at('report.json'), '--predictions', at('predictions.jsonl')];
    outcome = await evaluated(
      '--manifests',
      MANIFEST,
      '--queries',
      queries,
      ...outputs,
      '--worst',
      '2',
      '--top-k',
      '2',
    );
    report = await jsonOf(at('report.json'));
    predictions = await linesOf(at('predictions.jsonl'));
  });

  it('prints a table, what can be concluded, and the worst answers signal by signal', async () => {
    expect(outcome.code).toBe(0);
    expect(outcome.err).toBe('');
    expect(outcome.out).toMatch(/^homes: 41 capabilities, model multilingual-e5-small, weights /);
    expect(outcome.out).toMatch(/figure +all +95 % of chance +en +zh\n/);
    expect(outcome.out).toMatch(/\nece if perfect +0\.\d{3} +0\.\d{3} \.\. 0\.\d{3}/);
    expect(outcome.out).toContain('Only 2 queries out of scope');
    const [first, second] = outcome.out.split(/^\d\. line /m).slice(1);
    const { features } = await jsonOf<{ features: { name: string }[] }>(WEIGHTS);
    for (const { name } of features)
      expect(first).toMatch(new RegExp(`^${name} +-?\\d|^0 in both: .*\\b${name}\\b`, 'm'));
    expect(second).toBeDefined();
  });

  it('writes the figures', () => {
    expect(report).toMatchObject({
      set: 'homes',
      capabilities: 41,
      queries: 102,
      in_scope: 100,
      out_of_scope: 2,
      at_threshold: { threshold: 0.75 },
      model: 'multilingual-e5-small',
      by_lang: { en: { queries: 101, out_of_scope: 1 }, zh: { queries: 1, in_scope: 0, top1: null } },
    });
    expect(report.top1).toBeGreaterThan(0.8);
    expect(report.top5).toBeGreaterThanOrEqual(report.top1 ?? 1);
    expect(report.latency_ms.p99).toBeGreaterThanOrEqual(report.latency_ms.p50);
  });

  it('writes a prediction a query, in their order, of which the figures are made', () => {
    expect(predictions).toHaveLength(102);
    expect(predictions[0]?.expected).toEqual(['HassTurnOff']);
    expect(predictions.at(-1)?.expected).toEqual([]);
    for (const { predicted, confidence, candidates } of predictions) {
      expect(candidates).toHaveLength(2);
      expect(candidates[0]).toMatchObject({ capability_id: predicted, confidence });
    }
    const right = predictions.filter(({ expected, predicted }) => expected.includes(predicted ?? ''));
    expect(report.top1).toBe(right.length / 100);
    const sure = predictions.filter(({ confidence }) => confidence >= 0.75);
    expect(report.at_threshold.coverage).toBe(sure.length / 102);
    expect(sure.every(({ outcome: it }) => it === 'routed' || it === 'clarify')).toBe(true);
  });

  it('has its scores the right way round: who is right is more confident than who is not', () => {
    const mean = (some: readonly Prediction[]) =>
      some.reduce((sum, { confidence }) => sum + confidence, 0) / some.length;
    const isRight = ({ expected, predicted }: Prediction) => expected.includes(predicted ?? '');
    const [right, wrong] = [predictions.filter(isRight), predictions.filter((it) => !isRight(it))];
    expect(mean(right)).toBeGreaterThan(mean(wrong) + 0.2);
    for (const { candidates } of predictions) {
      expect(candidates[0]?.score).toBeGreaterThanOrEqual(candidates[1]?.score ?? 0);
    }
    expect(report.oos_auroc).toBeGreaterThan(0.9);
  });

  it('is the same when it is run again, and takes a threshold of 0 for one', async () => {
    const again = at('again.jsonl');
    const { code } = await evaluated(
      ...['--manifests', MANIFEST, '--queries', queries, '--threshold', '0', '--top-k', '2'],
      ...['--predictions', again, '--json', at('again.json')],
    );
    expect(code).toBe(0);
    const { at_threshold } = await jsonOf<EvaluationReport>(at('again.json'));
    expect(at_threshold).toMatchObject({ threshold: 0, coverage: 1, oos_rejected: 0 });
    const without = ({ outcome: _, ...rest }: Prediction) => rest;
    const zero = await linesOf<Prediction>(again);
    expect(zero.map(without)).toEqual(predictions.map(without));
    expect(new Set(zero.map(({ outcome: it }) => it)).has('human')).toBe(false);
  });
});

it('withholds payloads, takes a file of weights, and names agents where ids are shared', async () => {
  const manifests = at('manifests');
  await mkdir(manifests);
  const agent = (name: string, what: string) =>
    `agent_name: ${name}\ncapabilities:\n  - {id: list, name: List ${what}}\n  - {id: pay-${what}, name: Pay ${what}}\n`;
  await writeFile(join(manifests, 'a.yaml'), agent('bills-agent', 'bills'));
  await writeFile(join(manifests, 'b.yaml'), agent('taxes-agent', 'taxes'));
  const weights = { ...(await jsonOf<object>(WEIGHTS)), version: 'mine' };
  await writeFile(at('weights.json'), JSON.stringify(weights));
  const queries = await queriesFile('shared.jsonl', [
    { intent: 'list my bills please', payload: { x: 1 }, expected: ['bills-agent/list'] },
    { intent: 'pay the taxes now', expected: ['pay-taxes'] },
  ]);
  const outputs = ['--json', at('shared.json'), '--predictions', at('shared-predictions.jsonl')];
  const { code, out } = await evaluated(
    ...['--manifests', manifests, '--queries', queries, '--no-payload', '--weights', at('weights.json')],
    ...outputs,
  );
  expect(code).toBe(0);
  expect(out).toContain('Payloads were withheld');
  expect(out).toContain('2 queries without `lang`');
  const predictions = await linesOf<Prediction>(at('shared-predictions.jsonl'));
  expect(predictions.map(({ predicted }) => predicted)).toEqual(['bills-agent/list', 'pay-taxes']);
  expect(await jsonOf(at('shared.json'))).toMatchObject({
    top1: 1,
    weights_version: 'mine',
    capabilities: 4,
  });
});

describe('refuses', () => {
  const neverStarted = async (...args: readonly string[]) => {
    const { code, out, err } = await captured(['evaluate', ...args], {
      createReach: () => Promise.reject(new Error('nothing should have been started')),
    });
    expect(out).toBe('');
    return { code, err };
  };

  it('queries with faults, each with its line and pointer, before anything is started', async () => {
    const queries = await queriesFile('faulty.jsonl', [
      { intent: 'x', expected: ['HassTurnOn'] },
      { intent: 'x', expected: ['HassTurnOnn'] },
      '{"intent": ',
      { expected: [] },
    ]);
    const { code, err } = await neverStarted(
      '--manifests',
      MANIFEST,
      '--queries',
      queries,
      '--json',
      at('no.json'),
    );
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      `${queries}:2: /expected/0: no capability is called "HassTurnOnn". Did you mean HassTurnOn or HassTurnOff?`,
      `${queries}:3: not JSON: expected a JSON value, received the end at column 12`,
      `${queries}:4: /intent: expected a value, since this field is required, received nothing`,
      'agent-reach: 3 lines cannot be used; nothing was measured',
    ]);
    await expect(readFile(at('no.json'))).rejects.toThrow('ENOENT');
  });

  it('a catalogue with faults', async () => {
    await writeFile(at('bad.yaml'), 'agent_name: a\ncapabilities: []\n');
    const queries = await queriesFile('one.jsonl', [{ intent: 'x', expected: [] }]);
    const { code, err } = await neverStarted('--manifests', at('bad.yaml'), '--queries', queries);
    expect(code).toBe(1);
    expect(err).toMatch(/bad\.yaml:2: \/capabilities: expected at least 1 item/);
  });

  it.each([
    [[]],
    [['--manifests', MANIFEST]],
    [['--manifests', MANIFEST, '--queries', at('gone.jsonl')]],
    [['--manifests', MANIFEST, '--queries', folder]],
    [['--manifests', MANIFEST, '--queries', join(DATA, 'queries.jsonl'), '--threshold', '1.5']],
    [['--manifests', MANIFEST, '--queries', join(DATA, 'queries.jsonl'), '--top-k', '0']],
    [['--manifests', MANIFEST, '--queries', join(DATA, 'queries.jsonl'), '--worst', 'few']],
    [
      [
        '--manifests',
        MANIFEST,
        '--queries',
        join(DATA, 'queries.jsonl'),
        '--json',
        at('no/such/folder.json'),
      ],
    ],
    [
      [
        '--manifests',
        MANIFEST,
        '--queries',
        join(DATA, 'queries.jsonl'),
        '--json',
        at('x'),
        '--predictions',
        at('x'),
      ],
    ],
    [['--manifests', MANIFEST, '--queries', join(DATA, 'queries.jsonl'), '--predictions', MANIFEST]],
  ])('%j as a matter of usage', async (args) => {
    const before = await readFile(MANIFEST);
    const { code, err } = await neverStarted(...args);
    expect(code).toBe(2);
    expect(err).toMatch(/^error: /);
    expect(await readFile(MANIFEST)).toEqual(before);
  });

  it('to write over what it reads, or one file twice, however it is spelled', async () => {
    const [catalogue, weights] = [at('catalogue'), at('weights.json')];
    await mkdir(catalogue, { recursive: true });
    await writeFile(join(catalogue, 'homes.json'), await readFile(MANIFEST));
    await writeFile(weights, await readFile(WEIGHTS));
    const queries = await queriesFile('none.jsonl', [{ intent: 'x', expected: [] }]);
    const given = ['--manifests', catalogue, '--queries', queries, '--weights', weights];
    for (const outputs of [
      ['--json', join(catalogue, 'homes.json')],
      ['--predictions', weights],
      ['--json', at('new.json'), '--predictions', `${folder}/./new.json`],
    ]) {
      const { code, err } = await neverStarted(...given, ...outputs);
      expect({ outputs, code, err }).toMatchObject({ code: 2, err: expect.stringMatching(/named twice/) });
    }
    expect(await readFile(join(catalogue, 'homes.json'))).toEqual(await readFile(MANIFEST));
    expect(await readFile(weights)).toEqual(await readFile(WEIGHTS));
  });

  it('weights of another model, and weights that are not there', async () => {
    const queries = await queriesFile('one.jsonl', [{ intent: 'x', expected: [] }]);
    const given = ['--manifests', MANIFEST, '--queries', queries];
    const other = root('models/bge-small-en-v1.5/weights.json');
    const foreign = await evaluated(...given, '--weights', other);
    expect(foreign.code).toBe(1);
    expect(foreign.err).toMatch(/belongs to the model [0-9a-f]{12}, not to multilingual-e5-small/);
    const gone = await evaluated(...given, '--weights', at('gone.json'));
    expect(gone).toMatchObject({
      code: 1,
      err: expect.stringMatching(/weights .*gone\.json cannot be read/),
    });
  });
});
