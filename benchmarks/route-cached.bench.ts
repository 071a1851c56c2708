import { createReach, type Reach } from '../src/app.js';
import { percentile } from '../src/evaluation/percentile.js';
import type { Bench } from './support/figure.js';
import { freshTexts } from './support/fresh-texts.js';
import { syntheticManifests } from './support/synthetic-manifests.js';

const CAPABILITIES = 500;
const INTENTS = 50;
const ROUNDS = 10_000;
const UNKNOWN_ROUNDS = 1_000;

/** Durations of `rounds` routes in ms, sorted. */
async function durations(rounds: number, run: (round: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    await run(round);
    times.push(performance.now() - startedAt);
  }
  return times.sort((a, b) => a - b);
}

/** The same vector, but fields that nobody has sent before: the candidates have to be found anew. */
function withUnknownCandidates(reach: Reach, intents: readonly string[]) {
  return (round: number) => reach.route(intents[round % INTENTS] ?? '', { [`field_${round}`]: round });
}

export const bench: Bench = {
  name: 'route-cached',
  title: `route() on intents asked before, ${CAPABILITIES} capabilities: candidates known, and only the vector known.`,
  async run() {
    const reach = await createReach();
    try {
      for (const manifest of syntheticManifests(CAPABILITIES)) await reach.publish(manifest);
      const intents = freshTexts(INTENTS);
      const known = (round: number) => reach.route(intents[round % INTENTS] ?? '');
      await durations(ROUNDS, known);
      const cached = await durations(ROUNDS, known);
      await durations(UNKNOWN_ROUNDS, withUnknownCandidates(reach, intents));
      const uncached = await durations(UNKNOWN_ROUNDS, (round) =>
        withUnknownCandidates(reach, intents)(UNKNOWN_ROUNDS + round),
      );
      const ms = { unit: 'ms', better: 'lower' } as const;
      return [
        { name: 'candidates known, p50', value: percentile(cached, 0.5), goal: 0.1, ...ms },
        { name: 'candidates known, p99', value: percentile(cached, 0.99), goal: 1, ...ms },
        { name: 'vector known, p50', value: percentile(uncached, 0.5), goal: 1, ...ms },
        { name: 'vector known, p99', value: percentile(uncached, 0.99), goal: null, ...ms },
      ];
    } finally {
      await reach.close();
    }
  },
};
