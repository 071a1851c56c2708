import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { createReach } from '../../src/app.js';
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
      'agent-reach: the labels cannot be used; nothing was measured',
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
