import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import Fastify from 'fastify';
import { describe, expect, it } from 'vitest';
import { atOnce } from '../../benchmarks/support/at-once.js';
import { candidatesRun } from '../../benchmarks/support/candidates-run.js';
import { type Figure, holds } from '../../benchmarks/support/figure.js';
import { benchNames } from '../../benchmarks/support/find-bench.js';
import { freshManifests } from '../../benchmarks/support/fresh-manifests.js';
import { freshTexts } from '../../benchmarks/support/fresh-texts.js';
import { HttpLoad } from '../../benchmarks/support/http-load.js';
import { intentStream } from '../../benchmarks/support/intent-stream.js';
import { interleave } from '../../benchmarks/support/interleave.js';
import { markdownTable, resultOf, textTable } from '../../benchmarks/support/result.js';
import { templatedManifests } from '../../benchmarks/support/templated-manifests.js';
import { replaceBlock } from '../../docs/generate/marked-block.js';
import { percentile } from '../../src/evaluation/percentile.js';
import { withDefaults } from '../../src/manifest/with-defaults.js';

const BENCH = fileURLToPath(new URL('../../benchmarks/bench.ts', import.meta.url));
const bench = (...args: string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', BENCH, ...args], { encoding: 'utf8' });

const figure = (changes: Partial<Figure>): Figure => ({
  name: 'time',
  value: 1,
  unit: 'ms',
  better: 'lower',
  goal: null,
  ...changes,
});

describe('npm run bench', () => {
  it('prints a table and, with --json, the result as its last line', () => {
    const { status, stdout } = bench('noise', '--json');
    const result = JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(status).toBe(0);
    expect(stdout).toContain('ratio, p50');
    expect(Object.keys(result)).toEqual(['bench', 'machine', 'figures']);
    expect(result.bench).toBe('noise');
    expect(Object.keys(result.machine)).toEqual(['cpu', 'cores', 'memory_gb', 'node', 'platform']);
    expect(result.figures[1]).toEqual({
      name: 'ratio, p50',
      value: expect.any(Number),
      unit: 'x',
      better: 'lower',
      goal: null,
      ceiling: 1,
      holds: true,
    });
  });

  it.each([[[]], [['no-such-bench']], [['noise', 'start']]])('refuses %j and says what there is', (args) => {
    const { status, stderr } = bench(...args);
    expect(status).toBe(2);
    expect(stderr).toContain(benchNames().join(', '));
  });
});

describe('a figure', () => {
  it.each([
    [{ better: 'lower', value: 4, goal: 4 }, true],
    [{ better: 'lower', value: 4.1, goal: 4 }, false],
    [{ better: 'higher', value: 4, goal: 4 }, true],
    [{ better: 'higher', value: 3.9, goal: 4 }, false],
    [{ value: 1e9 }, true],
    [{ value: Number.NaN, goal: 4 }, false],
  ] as const)('%j holds: %s', (changes, expected) => {
    expect(holds(figure(changes))).toBe(expected);
  });

  it('stands in both tables with its goal, its ceiling and the verdict', async () => {
    const figures = [figure({ value: 12.3456, goal: 10, ceiling: 8.76543 }), figure({ name: 'size' })];
    const result = await resultOf({ name: 'some', title: 'Some.', run: async () => figures });
    expect(markdownTable(result)).toContain('| time | 12.35 ms | <= 10 ms | 8.765 ms | NO |');
    expect(textTable(result).split('\n')[2]).toMatch(/^size +1 ms$/);
    expect(markdownTable(result)).not.toContain('chance');
  });

  it('says what chance leaves open, where that was worked out', async () => {
    const figures = [figure({ chance: { low: 0.87654, high: 1.03126 } }), figure({ name: 'size' })];
    const result = await resultOf({ name: 'some', title: 'Some.', run: async () => figures });
    expect(markdownTable(result).split('\n').slice(2)).toEqual([
      '| time | 1 ms |  |  |  | 0.8765 to 1.031 |',
      '| size | 1 ms |  |  |  |  |',
    ]);
  });
});

describe('interleaving', () => {
  it('lets the two sides take turns and begin in turn', async () => {
    const calls: string[] = [];
    await interleave(
      { bare: (round) => calls.push(`bare ${round}`), measured: (round) => calls.push(`measured ${round}`) },
      2,
    );
    expect(calls).toEqual(['bare 0', 'measured 0', 'measured 1', 'bare 1']);
  });

  it('sees which side is slower', async () => {
    const sleep = (ms: number) => () => new Promise((resolve) => setTimeout(resolve, ms));
    const { ratioP50 } = await interleave({ bare: sleep(5), measured: sleep(50) }, 5);
    expect(ratioP50).toBeGreaterThan(1);
  });

  it.each([
    [[1, 2, 3, 4], 0.5, 2],
    [[1, 2, 3, 4], 0.99, 4],
    [[7], 0.5, 7],
    [[], 0.5, Number.NaN],
  ])('finds the percentile of %j at %d', (sorted, share, expected) => {
    expect(percentile(sorted, share)).toBe(expected);
  });
});

describe('what is measured with', () => {
  it('are texts that never repeat, the same in every run', () => {
    const texts = freshTexts(1_000);
    expect(new Set(texts).size).toBe(1_000);
    expect(freshTexts(1_000)).toEqual(texts);
  });

  it('are as many different capabilities as asked for', () => {
    const manifests = templatedManifests(500);
    const ids = manifests.flatMap(({ capabilities }) => capabilities.map(({ id }) => id));
    expect(manifests).toHaveLength(50);
    expect(new Set(ids).size).toBe(500);
    const many = templatedManifests(1_200, 400);
    expect(many.map(({ capabilities }) => capabilities.length)).toEqual([400, 400, 400]);
    expect(new Set(many.flatMap(({ capabilities }) => capabilities.map(({ id }) => id))).size).toBe(1_200);
  });

  it('are manifests no text of which is in two', () => {
    const texts = freshManifests(20)
      .flatMap((manifest) => withDefaults(manifest, 1).capabilities)
      .flatMap(({ name, description, examples }) => [name, description, ...examples]);
    expect(texts).toHaveLength(20 * 5 * 7);
    expect(new Set(texts).size).toBe(texts.length);
  });

  it('is a catalogue behind the real router, in which an intent finds the capability whose words it has', async () => {
    const { router, intents, close } = await candidatesRun(600, 3);
    const { decision } = await router.route({ intent: intents[0] ?? '', topK: 64 });
    const names = decision.candidates.map(({ capabilityId }) => capabilityId);
    expect(decision.catalogueVersion).toBe(2);
    expect(names).toContain('list-invoice-of-the-north');
    await close();
  });
});

describe('callers', () => {
  it('ask new texts as often as told, in every hundred, and repeat only what was asked before', () => {
    const intents = intentStream(1_000, 3);
    const firstAt = [...new Set(intents)].map((intent) => intents.indexOf(intent));
    expect(intents).toHaveLength(1_000);
    expect(firstAt[0]).toBe(0);
    for (let from = 0; from < 1_000; from += 100)
      expect(firstAt.filter((at) => at >= from && at < from + 100)).toHaveLength(3);
  });

  it('do everything once, and never more at the same time than told', async () => {
    let running = 0;
    let most = 0;
    const done: number[] = [];
    await atOnce(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      done.push(item);
    });
    expect(most).toBe(3);
    expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });

  it('of a process of their own send each body, and say where an answer is not 200', async () => {
    const received: unknown[] = [];
    const app = Fastify();
    app.post('/good', async ({ body }) => received.push(body));
    const port = Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
    const order = { port, bodies: ['{"a":1}', '{"a":2}'], connections: 2, requests: 10 };
    const load = new HttpLoad();
    expect(await load.rate({ ...order, path: '/good' })).toBeGreaterThan(0);
    expect(received).toHaveLength(10);
    expect(received).toContainEqual({ a: 2 });
    await expect(load.rate({ ...order, path: '/bad' })).rejects.toThrow('404');
    await load.close();
    await app.close();
  });
});

describe('a generated block', () => {
  const page = 'a\n<!-- generated: x -->\nold\n<!-- end: x -->\nb';

  it('is replaced, and nothing around it', () => {
    expect(replaceBlock(page, 'x', 'new')).toBe('a\n<!-- generated: x -->\n\nnew\n\n<!-- end: x -->\nb');
  });

  it.each([['no marks'], [page + page], ['<!-- end: x --> <!-- generated: x -->']])(
    'is not written where its marks are not clear: %j',
    (text) => {
      expect(() => replaceBlock(text, 'x', 'new')).toThrow('once and in this order');
    },
  );
});
