import { fileURLToPath } from 'node:url';
import { resolveConfig } from '../src/config.js';
import { loadBareModel } from './support/bare-model.js';
import { createReach } from './support/built-app.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { interleave } from './support/interleave.js';

// Enough for the engine to have compiled both sides: a service runs for days.
const WARM_UP = 400;
const ROUNDS = 500;
const MANIFESTS = fileURLToPath(new URL('../manifests', import.meta.url));

export const bench: Bench = {
  name: 'route-uncached',
  title:
    'route() on texts never seen before, against tokenising and the bare forward pass of the same texts.',
  async run() {
    const { model, modelsFolder } = resolveConfig();
    const bareModel = await loadBareModel(modelsFolder, model);
    const reach = await createReach({ manifests: MANIFESTS, data: null });
    try {
      const texts = freshTexts(WARM_UP + ROUNDS);
      const textOf = (index: number) => texts[index] ?? '';
      // The bare model remembers nothing, so it can be given the very text that is new to the service.
      const sides = (first: number) => ({
        bare: (round: number) => bareModel([textOf(first + round)], 'query'),
        measured: (round: number) => reach.route(textOf(first + round)),
      });
      await interleave(sides(0), WARM_UP);
      const { bare, measured, ratioP50, ratioP99 } = await interleave(sides(WARM_UP), ROUNDS);
      return [
        { name: 'ratio, p50', value: ratioP50, unit: 'x', better: 'lower', goal: 1.2, ceiling: 1 },
        { name: 'ratio, p99', value: ratioP99, unit: 'x', better: 'lower', goal: null, ceiling: 1 },
        {
          name: 'route, p50',
          value: measured.p50,
          unit: 'ms',
          better: 'lower',
          goal: null,
          ceiling: bare.p50,
        },
        {
          name: 'route, p99',
          value: measured.p99,
          unit: 'ms',
          better: 'lower',
          goal: null,
          ceiling: bare.p99,
        },
      ];
    } finally {
      await reach.close();
    }
  },
};
