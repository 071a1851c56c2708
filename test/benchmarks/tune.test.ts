import { expect, it, onTestFinished } from 'vitest';
import { LABELLED_SETS, type LabelledSet } from '../../benchmarks/support/labelled-sets.js';
import { figuresOfAll, figuresOfSet } from '../../benchmarks/support/tune-figures.js';
import { tunedOnSet } from '../../benchmarks/support/tune-run.js';
import { createReach } from '../../src/app.js';

it('the tune benchmark, in short: it learns from about as many labels as it is told to, judges on all others, and leaves the weights as they were', async () => {
  const set = LABELLED_SETS.find(({ name }) => name === 'homeassistant_zh') as LabelledSet;
  const reach = await createReach({ logLevel: 'silent' });
  onTestFinished(() => reach.close());
  const weights = reach.weights();
  const asked = { set, payload: true };
  const tuned = await tunedOnSet(reach, asked, { labels: 180, precision: 0.8 });
  expect(reach.weights()).toEqual(weights);
  const { learned_from, judged_on } = tuned.report.labels;
  expect(learned_from).toBeGreaterThan(160);
  expect(learned_from).toBeLessThan(210);
  expect(judged_on).toBe(248 - learned_from);
  const [error, precision] = figuresOfSet({ asked, tuned });
  expect(error).toMatchObject({ value: tuned.report.all.after.ece, goal: error?.chance?.high });
  expect(precision).toMatchObject({ value: tuned.report.all.after.at_threshold.precision, goal: 0.8 });
  const pooled = figuresOfAll([{ asked, tuned }]).find(({ name }) => name.endsWith('all sets pooled'));
  expect(pooled).toMatchObject({ value: tuned.report.all.after.ece, goal: 0.04 });
}, 300_000);
