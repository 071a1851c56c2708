import { percentile } from '../src/evaluation/percentile.js';
import { churnRun, EXACT_UP_TO } from './support/churn-run.js';
import { CLUSTERING } from './support/clustered-vectors.js';
import type { Bench } from './support/figure.js';

const CAPABILITIES = 5_000;
/** Each capability is replaced so often, first in a stream, then once more so often as fast as it goes. */
const TIMES = 2;
const REPLACEMENTS = CAPABILITIES * TIMES;
/** Replacements a second: several times as many as one model can embed. */
const RATE = 167;

export const bench: Bench = {
  name: 'churn',
  title: `route() over ${CAPABILITIES} capabilities (in graphs but for ${EXACT_UP_TO}; texts and vectors seeded, ${CLUSTERING}; every vector known beforehand, no candidates known) while ${REPLACEMENTS} are replaced, ten a publish, ${RATE} a second; the bare run is the quiet one before.`,
  async run() {
    const run = await churnRun({ capabilities: CAPABILITIES, versions: 1 + 2 * TIMES });
    try {
      await run.routesFor(3_000);
      const quiet = await run.routesFor(20_000);
      const busy = await run.routesWhile(run.replaceAll(TIMES, RATE));
      await run.settled();
      await run.routesFor(3_000);
      const after = await run.routesFor(20_000);
      const recall = run.recallAt5();
      // Not before: a garbage collection that is asked for makes others come sooner for minutes, which routes feel.
      const memoryBefore = await run.memory();
      const startedAt = performance.now();
      const flatOut = await run.routesWhile(run.replaceAll(TIMES, Number.POSITIVE_INFINITY));
      const flatOutS = (performance.now() - startedAt) / 1000;
      await run.settled();
      await run.routesFor(3_000);
      const memoryAfter = await run.memory();
      const p50 = (times: readonly number[]) => percentile(times, 0.5);
      const p99 = (times: readonly number[]) => percentile(times, 0.99);
      const ms = { unit: 'ms', better: 'lower', goal: null } as const;
      const ratio = { unit: 'x', better: 'lower', ceiling: 1 } as const;
      const mb = { unit: 'MB', better: 'lower', goal: null } as const;
      return [
        { name: 'while replacing, p50', value: p50(busy), ceiling: p50(quiet), ...ms },
        { name: 'while replacing, p99', value: p99(busy), ceiling: p99(quiet), ...ms },
        { name: 'while replacing / before, p99', value: p99(busy) / p99(quiet), goal: 1.5, ...ratio },
        { name: 'after, p50', value: p50(after), ceiling: p50(quiet), ...ms },
        { name: 'after / before, p50', value: p50(after) / p50(quiet), goal: 1.1, ...ratio },
        { name: 'recall@5, after', value: recall, unit: '', better: 'higher', goal: 0.99, ceiling: 1 },
        {
          name: 'memory in use, after as many again',
          value: memoryAfter.inUseMb,
          ceiling: memoryBefore.inUseMb,
          ...mb,
        },
        {
          name: 'memory in use, after as many again / before',
          value: memoryAfter.inUseMb / memoryBefore.inUseMb,
          goal: 1.1,
          ...ratio,
        },
        {
          name: 'resident memory, after as many again',
          value: memoryAfter.residentMb,
          ceiling: memoryBefore.residentMb,
          ...mb,
        },
        {
          name: 'flat out, replacements a second',
          value: REPLACEMENTS / flatOutS,
          unit: '1/s',
          better: 'higher',
          goal: null,
        },
        { name: 'flat out, p99', value: p99(flatOut), ceiling: p99(quiet), ...ms },
      ];
    } finally {
      await run.close();
    }
  },
};
