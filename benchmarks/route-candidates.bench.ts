import { percentile } from '../src/evaluation/percentile.js';
import { candidatesRun } from './support/candidates-run.js';
import { CLUSTERING } from './support/clustered-vectors.js';
import type { Bench, Figure } from './support/figure.js';

/** Goals at the median, in ms. */
const GOALS: readonly (readonly [capabilities: number, goalMs: number])[] = [
  [500, 1],
  [5_000, 1.5],
  [50_000, 3],
];
const INTENTS = 500;
const WARM_UP = 500;
const ROUNDS = 1_000;

async function figuresAt(capabilities: number, goal: number): Promise<Figure[]> {
  const { router, intents, close } = await candidatesRun(capabilities, INTENTS);
  try {
    const times: number[] = [];
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      const intent = intents[round % INTENTS] ?? '';
      // A field that nobody has sent before: the vector is known, the candidates have to be found anew.
      const payload = { invoice: 'A-1', since: '2024-05-01', limit: 10, [`field_${round}`]: round };
      const startedAt = performance.now();
      await router.route({ intent, payload });
      times.push(performance.now() - startedAt);
    }
    const sorted = times.slice(WARM_UP).sort((a, b) => a - b);
    const ms = { unit: 'ms', better: 'lower' } as const;
    return [
      { ...ms, name: `${capabilities} capabilities, p50`, value: percentile(sorted, 0.5), goal },
      { ...ms, name: `${capabilities} capabilities, p99`, value: percentile(sorted, 0.99), goal: null },
    ];
  } finally {
    await close();
  }
}

export const bench: Bench = {
  name: 'route-candidates',
  title: `Routing an intent with a payload where the vector is known and the candidates are not, as a catalogue grows; vectors of no model: ${CLUSTERING}.`,
  async run() {
    const figures: Figure[] = [];
    for (const [capabilities, goalMs] of GOALS) figures.push(...(await figuresAt(capabilities, goalMs)));
    return figures;
  },
};
