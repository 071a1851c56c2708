import { DecisionStream } from '../src/live/decision-stream.js';
import { type CandidatesRun, candidatesRun } from './support/candidates-run.js';
import type { Bench } from './support/figure.js';
import { interleave } from './support/interleave.js';

const CAPABILITIES = 500;
const INTENTS = 50;
const ROUNDS = 10_000;

const ask =
  ({ router, intents }: CandidatesRun) =>
  (round: number) =>
    router.route({ intent: intents[round % INTENTS] ?? '' });

export const bench: Bench = {
  name: 'watch',
  title: `route() on intents whose candidates are known, ${CAPABILITIES} capabilities, with decisions that may be watched and without.`,
  async run() {
    const stream = new DecisionStream();
    const bare = await candidatesRun(CAPABILITIES, INTENTS);
    const observed = await candidatesRun(CAPABILITIES, INTENTS, [stream]);
    try {
      const sides = { bare: ask(bare), measured: ask(observed) };
      const compared = async () => {
        await interleave(sides, ROUNDS / 10);
        return interleave(sides, ROUNDS);
      };
      const unwatched = await compared();
      // One that never takes a decision.
      stream.watch(undefined);
      const watched = await compared();
      const [ratio, ms] = [
        { unit: 'x', better: 'lower', ceiling: 1 } as const,
        { unit: 'ms', better: 'lower' } as const,
      ];
      return [
        { name: 'nobody watches, p50 over bare', value: unwatched.ratioP50, goal: 1.05, ...ratio },
        {
          name: 'one watches and never reads, p50',
          value: watched.measured.p50,
          goal: 1,
          ceiling: watched.bare.p50,
          ...ms,
        },
        {
          name: 'one watches and never reads, p99',
          value: watched.measured.p99,
          goal: null,
          ceiling: watched.bare.p99,
          ...ms,
        },
      ];
    } finally {
      await bare.close();
      await observed.close();
    }
  },
};
