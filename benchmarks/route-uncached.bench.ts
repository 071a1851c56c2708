import { fileURLToPath } from 'node:url';
import { resolveConfig } from '../src/config.js';
import { type BareModel, ENGLISH_MODEL, loadBareModel } from './support/bare-model.js';
import { BareProcess } from './support/bare-process.js';
import { createReach } from './support/built-app.js';
import type { Bench, Figure } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { interleave } from './support/interleave.js';

// Enough for the engine to have compiled both sides: a service runs for days.
const WARM_UP = 400;
const ROUNDS = 500;
const MANIFESTS = fileURLToPath(new URL('../manifests', import.meta.url));

async function figuresOf(
  title: string,
  englishModel: boolean,
  models: readonly BareModel[],
): Promise<Figure[]> {
  const reach = await createReach({ manifests: MANIFESTS, data: null, englishModel });
  try {
    const texts = freshTexts(WARM_UP + ROUNDS);
    const textOf = (index: number) => texts[index] ?? '';
    // A bare model remembers nothing, so it can be given the very text that is new to the service.
    const sides = (first: number) => ({
      bare: async (round: number) => {
        for (const model of models) await model([textOf(first + round)], 'query');
      },
      measured: (round: number) => reach.route(textOf(first + round)),
    });
    await interleave(sides(0), WARM_UP);
    const { bare, measured, ratioP50, ratioP99 } = await interleave(sides(WARM_UP), ROUNDS);
    const [x, ms] = [{ unit: 'x', better: 'lower' } as const, { unit: 'ms', better: 'lower' } as const];
    return [
      { ...x, name: `${title}: ratio, p50`, value: ratioP50, goal: 1.2, ceiling: 1 },
      { ...x, name: `${title}: ratio, p99`, value: ratioP99, goal: null, ceiling: 1 },
      { ...ms, name: `${title}: route, p50`, value: measured.p50, goal: null, ceiling: bare.p50 },
      { ...ms, name: `${title}: route, p99`, value: measured.p99, goal: null, ceiling: bare.p99 },
    ];
  } finally {
    await reach.close();
  }
}

/** What the process of its own costs that keeps a crash of the model away from the service, with nothing else in it. */
async function isolationFigures(bare: BareModel, modelsFolder: string, name: string): Promise<Figure[]> {
  const alone = new BareProcess();
  try {
    await alone.load(modelsFolder, name);
    const texts = freshTexts(WARM_UP + ROUNDS);
    const sides = (first: number) => ({
      bare: (round: number) => bare([texts[first + round] ?? ''], 'query'),
      measured: (round: number) => alone.pass(texts[first + round] ?? ''),
    });
    await interleave(sides(0), WARM_UP);
    const { ratioP50 } = await interleave(sides(WARM_UP), ROUNDS);
    return [
      {
        name: 'the bare pass in a process of its own: ratio, p50',
        value: ratioP50,
        unit: 'x',
        better: 'lower',
        goal: null,
        ceiling: 1,
      },
    ];
  } finally {
    await alone.close();
  }
}

export const bench: Bench = {
  name: 'route-uncached',
  title:
    'route() on English texts never seen before, against tokenising and the bare forward pass of the same texts by each model that is asked.',
  async run() {
    const { model, modelsFolder } = resolveConfig();
    const main = await loadBareModel(modelsFolder, model);
    const english = await loadBareModel(modelsFolder, ENGLISH_MODEL);
    return [
      ...(await isolationFigures(main, modelsFolder, model)),
      ...(await figuresOf('one model', false, [main])),
      ...(await figuresOf('with the English model', true, [main, english])),
    ];
  },
};
