import { percentile } from '../src/evaluation/percentile.js';
import type { Bench } from './support/figure.js';
import { shadowRun } from './support/shadow-run.js';

const OPTIONS = {
  capabilities: 500,
  blocks: 10,
  routesInBlock: 250,
  routesPerSecond: 50,
  newShare: 0.3,
};

export const bench: Bench = {
  name: 'shadow',
  title: `route() with other weights in the shadow and without, in turn: ${OPTIONS.routesPerSecond} intents a second at random times, ${100 * OPTIONS.newShare} % of them new, ${OPTIONS.capabilities} capabilities; each from when it was due.`,
  async run() {
    const { alone, shadowed, answered, leftOut } = await shadowRun(OPTIONS);
    const sorted = { alone: alone.toSorted((a, b) => a - b), shadowed: shadowed.toSorted((a, b) => a - b) };
    const [p50, p99] = [0.5, 0.99].map((share) => ({
      alone: percentile(sorted.alone, share),
      shadowed: percentile(sorted.shadowed, share),
    })) as [{ alone: number; shadowed: number }, { alone: number; shadowed: number }];
    const [ratio, ms] = [
      { unit: 'x', better: 'lower', ceiling: 1 } as const,
      { unit: 'ms', better: 'lower', goal: null } as const,
    ];
    return [
      { ...ratio, name: 'with a shadow over without, p50', value: p50.shadowed / p50.alone, goal: 1.05 },
      { ...ratio, name: 'with a shadow over without, p99', value: p99.shadowed / p99.alone, goal: 1.1 },
      { ...ms, name: 'with a shadow, p50', value: p50.shadowed, ceiling: p50.alone },
      { ...ms, name: 'with a shadow, p99', value: p99.shadowed, ceiling: p99.alone },
      {
        name: 'share of the intents that the shadow answered',
        value: answered / (answered + leftOut),
        unit: 'x',
        better: 'higher',
        goal: null,
        ceiling: 1,
      },
    ];
  },
};
