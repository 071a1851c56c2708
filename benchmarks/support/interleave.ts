import { percentile } from '../../src/evaluation/percentile.js';

type Run = (round: number) => Promise<unknown> | unknown;

/** Durations of one side in ms. */
export interface Timings {
  readonly p50: number;
  readonly p99: number;
}

export interface Comparison {
  readonly bare: Timings;
  readonly measured: Timings;
  /** measured / bare at the median of each. */
  readonly ratioP50: number;
  readonly ratioP99: number;
}

/**
 * Times two ways of doing the same, turn by turn in one process, so that whatever else the machine does
 * meets both alike. Who goes first changes with every round.
 */
export async function interleave(
  sides: { readonly bare: Run; readonly measured: Run },
  rounds: number,
): Promise<Comparison> {
  const bare: number[] = [];
  const measured: number[] = [];
  const turns = [
    { run: sides.bare, times: bare },
    { run: sides.measured, times: measured },
  ];
  for (let round = 0; round < rounds; round += 1) {
    for (const { run, times } of turns) {
      const startedAt = performance.now();
      await run(round);
      times.push(performance.now() - startedAt);
    }
    turns.reverse();
  }
  const [ofBare, ofMeasured] = [timingsOf(bare), timingsOf(measured)];
  return {
    bare: ofBare,
    measured: ofMeasured,
    ratioP50: ofMeasured.p50 / ofBare.p50,
    ratioP99: ofMeasured.p99 / ofBare.p99,
  };
}

function timingsOf(times: readonly number[]): Timings {
  const sorted = times.toSorted((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) };
}
