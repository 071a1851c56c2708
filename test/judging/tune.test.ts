import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReach, type Reach } from '../../src/app.js';
import { publishManifests, readManifests } from '../../src/evaluation/judged-catalogue.js';
import type { LabelledQuery } from '../../src/evaluation/labelled-query.js';
import { queriesOf } from '../../src/evaluation/query-file.js';
import { tune } from '../../src/judging/tune.js';
import type { Manifest } from '../../src/manifest/schema.js';

const dataOf = (path: string) => fileURLToPath(new URL(`../../benchmarks/data/${path}`, import.meta.url));
const SETS = ['homeassistant_en', 'homeassistant_zh'];

let reach: Reach;
let manifests: readonly Manifest[];
const labels: LabelledQuery[] = [];

beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent' });
  const read = await readManifests(SETS.map((set) => dataOf(`${set}/manifest.json`)));
  await publishManifests(read.manifests, reach);
  manifests = read.manifests.map(({ manifest }) => manifest);
  for (const set of SETS) {
    const some: LabelledQuery[] = [];
    for await (const query of queriesOf(dataOf(`${set}/queries.jsonl`))) some.push(query);
    labels.push(...some.filter((_, place) => place % 4 === 0));
  }
}, 120_000);
afterAll(() => reach.close());
afterEach(async () => {
  while ((await reach.tuning()).current.number > 0) await reach.rollBackWeights();
});

/** What nothing of a smart home fits. */
const NOTHING_FITS: readonly LabelledQuery[] = [
  'translate this contract into French',
  'who won the cup in 1954',
  'book me a flight to Oslo',
  '帮我写一首关于秋天的诗',
  'what is the capital of Peru',
  'fix the bug in my compiler',
].map((intent, line) => ({ line, intent, payload: null, expected: [], lang: 'en' }));

const tuned = (queries: readonly LabelledQuery[], more: { holdout?: number; precision?: number } = {}) =>
  tune(reach, {
    manifests,
    queries,
    holdout: 0.3,
    precision: undefined,
    at: '2026-01-01T00:00:00.000Z',
    ...more,
  });

describe('tuning', () => {
  it('learns from a part of the labels, judges on the rest, and leaves what it learned in force', async () => {
    const steps = new Map<string, number>();
    const queries = [...labels, ...NOTHING_FITS];
    const { report, weights } = await tune(reach, {
      manifests,
      queries,
      holdout: 0.3,
      precision: 0.8,
      at: '2026-01-01T00:00:00.000Z',
      onProgress: (step, done) => steps.set(step, done),
    });
    const { learned_from, judged_on } = report.labels;
    expect(learned_from + judged_on).toBe(queries.length);
    expect(Object.fromEntries(steps)).toEqual({
      learn: learned_from,
      'judge before': judged_on,
      'judge after': judged_on,
    });
    expect(reach.weights()).toEqual(weights);
    expect(weights).toMatchObject({
      version: expect.stringMatching(/^tuned-[0-9a-f]{8}$/),
      tuned: { labels: learned_from, precision: 0.8 },
    });
    expect(Object.keys(weights.tuned?.capabilities ?? {})).toHaveLength(report.catalogue.capabilities);
    expect(Object.keys(report.by_lang).sort()).toEqual(['en', 'zh']);
    expect(report.all.after.queries).toBe(judged_on);
    expect(report.all.after.at_threshold.threshold).toBe(weights.thresholds.global);
    const byLang = Object.values(report.by_lang).reduce((sum, { after }) => sum + after.queries, 0);
    expect(byLang).toBe(judged_on);
    const answers = report.charts.reliability.after.reduce((sum, bin) => sum + bin.answers, 0);
    expect(answers).toBe(judged_on);
    expect(report.charts.thresholds.after[0]).toMatchObject({ threshold: 0, coverage: 1 });
    const recalls = report.charts.top_k.map(({ recall }) => recall ?? 0);
    expect(recalls).toEqual(recalls.toSorted((a, b) => a - b));
    expect(recalls[0]).toBe(report.all.after.top1);
  }, 120_000);

  it('says of ten labels in all that they are few, leaves thresholds and top_k, and cannot tell', async () => {
    const { report, weights } = await tuned(labels.slice(0, 10));
    expect(report.notes.join('\n')).toContain('to learn from are few');
    expect(report).toMatchObject({ verdict: 'too_small', refused: false });
    expect(report.labels_more).toBeGreaterThan(50);
    expect(weights.thresholds.global).toBe(report.weights.threshold.before);
    expect(report.weights.top_k).toEqual({ before: weights.top_k, after: weights.top_k });
  }, 120_000);

  it('says of labels that are all of one capability that nothing is known of others', async () => {
    const some = labels.filter(({ expected }) => expected[0] === labels[0]?.expected[0]);
    const { report } = await tuned(some);
    expect(report.notes.join('\n')).toMatch(
      /Every label that names a capability names .+ or .+: nothing is known/,
    );
  }, 120_000);

  it('learns from labels that are all out of scope only how to abstain', async () => {
    const { report, weights } = await tuned(NOTHING_FITS);
    expect(report.all.after).toMatchObject({ in_scope: 0, top1: null });
    expect(report.notes.join('\n')).toContain('No label names a capability');
    for (const { without_payload } of Object.values(report.weights.features))
      expect(without_payload.after).toBeCloseTo(without_payload.before, 4);
    expect(weights.thresholds.global).toBe(report.weights.threshold.before);
  }, 120_000);

  it('leaves out contradicting labels and those of a capability that is gone, and says how many', async () => {
    const [first, second] = labels;
    const wrong = { ...first, expected: second?.expected } as LabelledQuery;
    const gone = { ...second, intent: 'do the old thing', expected: ['retired'] } as LabelledQuery;
    const { report } = await tuned([...labels.slice(0, 20), wrong, gone]);
    expect(report.labels.left_out).toEqual({ contradicting: 2, gone: 1, repeated: 0 });
    expect(report.notes.join('\n')).toMatch(
      /2 labels are left out: others of the same intent[\s\S]*1 label is left out/,
    );
  }, 120_000);

  it('says where no label is in another language than one', async () => {
    const { report } = await tuned(labels.filter(({ lang }) => lang === 'zh').slice(0, 12));
    expect(report.notes.join('\n')).toContain('Every label is in one language (zh)');
    expect(Object.keys(report.by_lang)).toEqual(['zh']);
  }, 120_000);

  it('refuses where no label can be used', async () => {
    const gone = { ...labels[0], expected: ['retired'] } as LabelledQuery;
    await expect(tuned([gone])).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    await expect(tuned([])).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  }, 120_000);
});
