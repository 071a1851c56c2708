import { setTimeout } from 'node:timers/promises';
import { percentile } from '../src/evaluation/percentile.js';
import { clusteredVectors } from './support/clustered-vectors.js';
import type { Bench } from './support/figure.js';
import {
  fill,
  K,
  median,
  newExact,
  newIndex,
  recallAt5,
  residentMb,
  searchTimes,
  untilBuilt,
} from './support/index-run.js';

const DIM = 384;
const CAPABILITIES = 5_000;
const REPLACEMENTS = 10_000;
/** Replacements a second: twice as many as one model can embed. */
const RATE = 100;
const QUERIES = 400;

export const bench: Bench = {
  name: 'churn',
  title: `Searching ${CAPABILITIES} capabilities while ${REPLACEMENTS} are replaced, ${RATE} a second, against the quiet run before.`,
  async run() {
    // Drawn together, so that what comes lies in the same clusters as what goes.
    const { capabilities, queries } = clusteredVectors(CAPABILITIES + REPLACEMENTS, QUERIES, { dim: DIM });
    const fresh = capabilities.slice(CAPABILITIES);
    const [index, exact] = [newIndex(DIM), newExact(DIM)];
    try {
      for (const part of [index, exact]) fill(part, capabilities.slice(0, CAPABILITIES));
      await untilBuilt(index);
      searchTimes(index, queries);
      const memoryBefore = residentMb();
      const quiet = searchTimes(index, queries);
      const busy: number[] = [];
      const startedAt = performance.now();
      for (let done = 0; done < REPLACEMENTS; ) {
        const due = Math.min(REPLACEMENTS, Math.floor(((performance.now() - startedAt) / 1000) * RATE));
        for (; done < due; done += 1) {
          const vectors = fresh[done] ?? [];
          for (const part of [index, exact]) {
            part.remove(done);
            part.add(CAPABILITIES + done, vectors);
          }
        }
        busy.push(...searchTimes(index, queries.slice(done % 350, (done % 350) + 10)));
        await setTimeout(5);
      }
      busy.sort((a, b) => a - b);
      await untilBuilt(index);
      const shown = { better: 'lower', goal: null } as const;
      const p99 = { quiet: percentile(quiet, 0.99), busy: percentile(busy, 0.99) };
      return [
        { ...shown, name: `search for ${K}, p50`, value: median(busy), unit: 'ms', ceiling: median(quiet) },
        { ...shown, name: `search for ${K}, p99`, value: p99.busy, unit: 'ms', ceiling: p99.quiet },
        {
          name: 'ratio, p99',
          value: p99.busy / p99.quiet,
          unit: 'x',
          better: 'lower',
          goal: null,
          ceiling: 1,
        },
        {
          ...shown,
          name: 'search, p50, after',
          value: median(searchTimes(index, queries)),
          unit: 'ms',
          ceiling: median(quiet),
        },
        {
          name: 'recall@5, after',
          value: recallAt5(index, exact, queries),
          unit: '',
          better: 'higher',
          goal: 0.99,
          ceiling: 1,
        },
        { ...shown, name: 'memory, after - before', value: residentMb() - memoryBefore, unit: 'MB' },
      ];
    } finally {
      await index.close();
    }
  },
};
