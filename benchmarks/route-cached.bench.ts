import { percentile } from '../src/evaluation/percentile.js';
import { createReach } from './support/built-app.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { templatedManifests } from './support/templated-manifests.js';

const CAPABILITIES = 500;
const INTENTS = 50;
const ROUNDS = 10_000;

export const bench: Bench = {
  name: 'route-cached',
  title: `route() on intents whose candidates are known, ${CAPABILITIES} capabilities.`,
  async run() {
    const reach = await createReach();
    try {
      for (const manifest of templatedManifests(CAPABILITIES)) await reach.publish(manifest);
      const intents = freshTexts(INTENTS);
      const times: number[] = [];
      for (let round = 0; round < 2 * ROUNDS; round += 1) {
        const startedAt = performance.now();
        await reach.route(intents[round % INTENTS] ?? '');
        times.push(performance.now() - startedAt);
      }
      const sorted = times.slice(ROUNDS).sort((a, b) => a - b);
      const ms = { unit: 'ms', better: 'lower' } as const;
      return [
        { name: 'route, p50', value: percentile(sorted, 0.5), goal: 0.1, ...ms },
        { name: 'route, p99', value: percentile(sorted, 0.99), goal: 1, ...ms },
      ];
    } finally {
      await reach.close();
    }
  },
};
