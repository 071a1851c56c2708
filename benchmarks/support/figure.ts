import type { Interval } from '../../src/evaluation/interval.js';

/** One measured number and what was promised of it. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** The promise; null where the number is only shown. */
  readonly goal: number | null;
  /** The bare run that the value is held against, in the same unit: what could at best be reached. */
  readonly ceiling?: number | undefined;
  /** What chance alone leaves open, with 95 %; absent where it was not worked out. */
  readonly chance?: Interval | undefined;
}

/** A benchmark of one claim; `benchmarks/<name>.bench.ts` exports one as `bench`. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  run(): Promise<readonly Figure[]>;
}

/** Whether a figure keeps its promise; one without a promise always does. */
export function holds({ value, goal, better }: Figure): boolean {
  if (goal === null) return true;
  return better === 'lower' ? value <= goal : value >= goal;
}
