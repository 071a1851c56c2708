import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createReach, type Service, serve } from '../../src/app.js';
import type { TuneReport } from '../../src/judging/tune-report.js';
import type { Weights } from '../../src/routing/weights.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const root = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const HOMES = root('benchmarks/data/homeassistant_en');
const MANIFEST = join(HOMES, 'manifest.json');
const QUERIES = join(HOMES, 'queries.jsonl');

const folder = await temporaryFolder(afterAll);
const at = (name: string) => join(folder, name);

interface Label {
  readonly intent: string;
  readonly expected: readonly string[];
}

async function labelsFile(name: string, labels: readonly (object | string)[]): Promise<string> {
  const lines = labels.map((label) => (typeof label === 'string' ? label : JSON.stringify(label)));
  await writeFile(at(name), `${lines.join('\n')}\n`);
  return at(name);
}

/** The command in this process, with the real engine. */
const tuned = (...args: readonly string[]) => captured(['tune', ...args], { createReach });

async function labelsIn(set: string): Promise<Label[]> {
  const text = await readFile(root(`benchmarks/data/${set}/queries.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}

const labels = await labelsIn('homeassistant_en');

const jsonOf = async <T>(path: string): Promise<T> => JSON.parse(await readFile(path, 'utf8'));

describe('on labels of a catalogue', () => {
  let outcome: Awaited<ReturnType<typeof tuned>>;

  beforeAll(async () => {
    const files = [
      await labelsFile('first.jsonl', labels.slice(0, 60)),
      await labelsFile('second.jsonl', labels.slice(60, 120)),
    ];
    const outputs = ['--out', at('tuned.json'), '--report', at('page.html'), '--json', at('report.json')];
    outcome = await tuned('--manifests', MANIFEST, '--queries', ...files, ...outputs);
  });

  it('tells what would change, of the labels of all files', () => {
    expect(outcome).toMatchObject({ code: 0, err: '' });
    expect(outcome.out).toMatch(
      /^defaults-1 -> tuned-[0-9a-f]{8}: 41 capabilities, model multilingual-e5-small\n/,
    );
    expect(outcome.out).toMatch(/^120 labels: learned from \d+, judged on \d+ others$/m);
    for (const figure of ['top1', 'precision', 'coverage', 'oos_rejected', 'ece'])
      expect(outcome.out).toMatch(new RegExp(`^${figure} +[01-]`, 'm'));
    expect(outcome.out.endsWith(`${at('tuned.json')} has the weights\n`)).toBe(true);
  });

  it('writes weights that say what they were tuned on, and that can be used at once', async () => {
    const weights = await jsonOf<Weights>(at('tuned.json'));
    expect(weights).toMatchObject({ format: 1, version: expect.stringMatching(/^tuned-[0-9a-f]{8}$/) });
    expect(Object.keys(weights.tuned?.capabilities ?? {})).toHaveLength(41);
    const queries = await labelsFile('few.jsonl', labels.slice(200, 203));
    const used = await captured(
      ['evaluate', '--manifests', MANIFEST, '--queries', queries, '--weights', at('tuned.json')],
      { createReach },
    );
    expect(used.code).toBe(0);
    expect(used.out).toContain(`weights ${weights.version}\n`);
  });

  it('writes the same for programs and as a page', async () => {
    const report = await jsonOf<TuneReport>(at('report.json'));
    const { total, learned_from: learned, judged_on: judged, left_out: leftOut } = report.labels;
    expect(total).toBe(120);
    expect(learned + judged + leftOut.repeated + leftOut.contradicting).toBe(120);
    expect(report.charts.thresholds.after.length).toBeGreaterThan(10);
    const page = await readFile(at('page.html'), 'utf8');
    expect(page).toContain(`What tuning would change: ${report.weights_version.after}`);
    expect(page).not.toContain('NaN');
  });
});

describe('says what little can be told from', () => {
  const toldFrom = async (name: string, some: readonly Label[]) => {
    const queries = await labelsFile(name, some);
    return tuned('--manifests', MANIFEST, '--queries', queries, '--json', at(`${name}.json`));
  };

  it('ten labels in all: thresholds stay, and how many more it would take', async () => {
    const { out } = await toldFrom('ten.jsonl', labels.slice(0, 10));
    expect(out).toMatch(/\d labels to learn from are few: .*thresholds and top_k stay/);
    expect(out).toMatch(/judged labels are too few to tell: .* About \d+ more would\./);
    const report = await jsonOf<TuneReport>(at('ten.jsonl.json'));
    expect(report).toMatchObject({
      verdict: 'too_small',
      weights: { threshold: { before: 0.75, after: 0.75 }, thresholds: {} },
    });
  });

  it('labels all of one capability', async () => {
    const off = labels.filter(({ expected }) => expected[0] === 'HassTurnOff').slice(0, 16);
    const { out } = await toldFrom('one.jsonl', off);
    expect(out).toContain(
      'names homeassistant-en/HassTurnOff: nothing is known of how others are told apart.',
    );
  });

  it('labels that contradict each other: they are left out, and where all do nothing is learned', async () => {
    const [first, second, ...others] = labels.slice(0, 10);
    if (first === undefined || second === undefined) throw new Error('there are no labels');
    const contrary = [first, second].map((label) => ({ ...label, expected: ['HassVacuumStart'] }));
    await toldFrom('contrary.jsonl', [first, second, ...contrary, ...others]);
    const report = await jsonOf<TuneReport>(at('contrary.jsonl.json'));
    expect(report.labels.left_out).toMatchObject({ contradicting: 4 });
    const all = await toldFrom('all-contrary.jsonl', [first, second, ...contrary]);
    expect(all).toMatchObject({ code: 1, err: expect.stringContaining('no label that can be learned from') });
  });
});

it('does not write weights that are worse over what is there, unless forced, and reports all the same', async () => {
  const strange = (await labelsIn('clinc150')).filter(({ expected }) => expected.length === 0).slice(0, 30);
  const queries = await labelsFile('mixed.jsonl', [...labels.slice(0, 80), ...strange]);
  await writeFile(at('kept.json'), 'as it was');
  // Whoever asks for hardly any precision gets a threshold at which what fits nothing is acted on, too.
  const given = ['--manifests', MANIFEST, '--queries', queries, '--precision', '0.05'];
  const outputs = ['--out', at('kept.json'), '--json', at('worse.json')];
  const refused = await tuned(...given, ...outputs);
  expect(refused).toMatchObject({ code: 1, err: '' });
  expect(refused.out).toContain(
    `${at('kept.json')} was not written: --force writes weights that are refused\n`,
  );
  expect(await readFile(at('kept.json'), 'utf8')).toBe('as it was');
  const report = await jsonOf<TuneReport>(at('worse.json'));
  expect(report).toMatchObject({ verdict: 'worse', refused: true });
  const forced = await tuned(...given, ...outputs, '--force');
  expect(forced.code).toBe(0);
  const { weights_version: version } = await jsonOf<TuneReport>(at('worse.json'));
  expect(await jsonOf(at('kept.json'))).toMatchObject({ version: version.after });
  expect((await readdir(folder)).filter((name) => name.startsWith('.'))).toEqual([]);
}, 180_000);

describe('on a running service', () => {
  let service: Service;
  const weights = at('served.json');

  beforeAll(async () => {
    const manifests = at('manifests');
    await mkdir(manifests);
    await copyFile(MANIFEST, join(manifests, 'homes.json'));
    const own = await jsonOf<object>(root('models/multilingual-e5-small/weights.json'));
    await writeFile(weights, JSON.stringify({ ...own, version: 'served' }));
    service = await serve({ port: 0, manifests, data: null, weights, logLevel: 'silent' });
  });
  afterAll(() => service.close());

  it('tunes the weights that it has in force on its catalogue and the labels that it keeps; one whose capability is gone is left out', async () => {
    const api = (path: string) => new URL(`/api/v1/${path}`, service.address);
    const send = async (method: string, path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(api(path), { method, headers, body: JSON.stringify(body) });
      expect({ path, status: response.status }).toEqual({ path, status: 200 });
    };
    await send('PUT', 'agents/passing-agent/manifest', {
      agent_name: 'passing-agent',
      manifest_version: 1,
      capabilities: [{ id: 'pass', name: 'Pass by' }],
    });
    await send('POST', 'labels', {
      labels: [
        { intent: 'pass by tomorrow', expected: ['passing-agent/pass'] },
        ...labels.slice(0, 12).map(({ intent, expected }) => ({ intent, expected })),
      ],
    });
    await fetch(api('agents/passing-agent'), { method: 'DELETE' });
    const { code, out } = await tuned(
      '--url',
      service.address,
      '--recorded',
      '24',
      '--json',
      at('recorded.json'),
    );
    expect({ code, out }).toMatchObject({
      out: expect.stringMatching(/^served -> tuned-[0-9a-f]{8}: 41 capa/),
    });
    const report = await jsonOf<TuneReport>(at('recorded.json'));
    expect(report.labels).toMatchObject({ total: 13, left_out: { gone: 1 } });
  });
});

describe('refuses', () => {
  const neverStarted = async (...args: readonly string[]) => {
    const { code, out, err } = await captured(['tune', ...args], {
      createReach: () => Promise.reject(new Error('nothing should have been started')),
    });
    expect(out).toBe('');
    return { code, err };
  };

  it('labels with faults and of a capability that is gone, in all files, each by its line', async () => {
    const one = await labelsFile('one.jsonl', [{ intent: 'x', expected: ['HassTurnOnn'] }]);
    const two = await labelsFile('two.jsonl', [{ intent: 'x', expected: ['HassTurnOn'] }, '{"intent": ']);
    const { code, err } = await neverStarted('--manifests', MANIFEST, '--queries', one, two);
    expect(code).toBe(1);
    expect(err.trimEnd().split('\n')).toEqual([
      `${one}:1: /expected/0: no capability is called "HassTurnOnn". Did you mean HassTurnOn or HassTurnOff?`,
      `${two}:2: not JSON: expected a JSON value, received the end at column 12`,
      'agent-reach: the labels cannot be used; nothing was tuned',
    ]);
  });

  it.each([
    [[], 'name a catalogue'],
    [['--manifests', MANIFEST], 'name labels'],
    [['--queries', QUERIES], 'name a catalogue'],
    [['--manifests', MANIFEST, '--url', 'http://127.0.0.1:1', '--queries', QUERIES], 'not both'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--recorded', '24'], '--recorded needs a server'],
    [['--url', 'http://127.0.0.1:1', '--queries', QUERIES, '--weights', 'w.json'], 'leave --weights out'],
    [['--manifests', MANIFEST, '--queries', QUERIES, at('gone.jsonl')], 'is not a file'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--holdout', '1'], '--holdout'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--precision', 'high'], '--precision'],
    [['--url', 'http://127.0.0.1:1', '--recorded', '0'], '--recorded'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--out', at('no/such/folder')], 'cannot be written'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--out', at('x'), '--json', at('x')], 'named twice'],
    [['--manifests', MANIFEST, '--queries', QUERIES, '--report', MANIFEST], 'named twice'],
  ])('%j as a matter of usage', async (args, sentence) => {
    const { code, err } = await neverStarted(...args);
    expect({ code, err }).toMatchObject({ code: 2, err: expect.stringContaining(sentence) });
  });

  it('a server that cannot be reached', async () => {
    const { code, err } = await neverStarted('--url', 'http://127.0.0.1:1', '--recorded', '24');
    expect({ code, err }).toMatchObject({ code: 3, err: expect.stringContaining('cannot be reached') });
  });

  it('a file of weights of another model, and one of another format', async () => {
    const given = ['--manifests', MANIFEST, '--queries', QUERIES, '--out', at('foreign.json')];
    const foreign = await tuned(...given, '--weights', root('models/bge-small-en-v1.5/weights.json'));
    expect(foreign).toMatchObject({
      code: 1,
      err: expect.stringMatching(/belongs to the model [0-9a-f]{12}/),
    });
    await writeFile(at('format.json'), JSON.stringify({ format: 2 }));
    const other = await tuned(...given, '--weights', at('format.json'));
    expect(other).toMatchObject({ code: 1, err: expect.stringContaining('format.json is not valid') });
    expect(await readdir(folder)).not.toContain('foreign.json');
  });
});
