import { percentile } from '../src/evaluation/percentile.js';
import type { Bench } from './support/figure.js';
import { CAPACITY, OVERLOAD_LANES, Overload } from './support/overload-run.js';

const TIMES = 10;
const SECONDS = 10;
const ROUNDS = 10;
const ROUND_SECONDS = 6;

export const bench: Bench = {
  name: 'overload',
  title: `Dispatch over HTTP of ${TIMES} times what can be taken (${CAPACITY}/s a lane), then P0 while P2 is flooded, against P0 alone; lanes ${OVERLOAD_LANES} (slots/queue).`,
  run: () =>
    Overload.with(async (overload) => {
      const { refusedMs, acceptedMs, late } = await overload.beyondCapacity(TIMES, SECONDS);
      const { quietMs, floodedMs, failed, refused } = await overload.flooded(ROUNDS, ROUND_SECONDS);
      const ms = { unit: 'ms', better: 'lower', goal: null } as const;
      const none = { unit: '', better: 'lower', goal: 0 } as const;
      const shown = { unit: '', better: 'higher', goal: null } as const;
      const [quiet, flooded] = [percentile(quietMs, 0.99), percentile(floodedMs, 0.99)];
      return [
        { name: 'refused', value: refusedMs.length, ...shown },
        { name: 'refused, p50', value: percentile(refusedMs, 0.5), ...ms },
        { name: 'refused, slowest', value: percentile(refusedMs, 1), ...ms, goal: 100 },
        { name: 'accepted', value: acceptedMs.length / SECONDS, ...shown, unit: '/s', ceiling: CAPACITY },
        { name: 'accepted, slowest', value: percentile(acceptedMs, 1), ...ms },
        { name: 'accepted and not completed within its deadline', value: late.length, ...none },
        {
          name: 'P0 while P2 is flooded, p50',
          value: percentile(floodedMs, 0.5),
          ...ms,
          ceiling: percentile(quietMs, 0.5),
        },
        { name: 'P0 while P2 is flooded, p99', value: flooded, ...ms, ceiling: quiet },
        {
          name: 'P0 flooded / quiet, p99',
          value: flooded / quiet,
          unit: 'x',
          better: 'lower',
          goal: 1.2,
          ceiling: 1,
        },
        { name: 'P0 not completed', value: failed.length, ...none },
        { name: 'P2 refused meanwhile', value: refused, ...shown },
      ];
    }),
};
