import { createHash } from 'node:crypto';
import type { Bench } from './support/figure.js';
import { interleave } from './support/interleave.js';

const ROUNDS = 400;
const block = Buffer.alloc(262_144, 'a');
const work = () => createHash('sha256').update(block).digest();

export const bench: Bench = {
  name: 'noise',
  title: 'The same work against itself: the least difference that a ratio can show here.',
  async run() {
    const { bare, measured, ratioP50, ratioP99 } = await interleave({ bare: work, measured: work }, ROUNDS);
    return [
      { name: 'time, p50', value: measured.p50, unit: 'ms', better: 'lower', goal: null, ceiling: bare.p50 },
      { name: 'ratio, p50', value: ratioP50, unit: 'x', better: 'lower', goal: null, ceiling: 1 },
      { name: 'ratio, p99', value: ratioP99, unit: 'x', better: 'lower', goal: null, ceiling: 1 },
    ];
  },
};
