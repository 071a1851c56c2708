import type { Interval } from './interval.js';
import { percentile } from './percentile.js';
import { seededRandom } from './seeded-random.js';

/** What was seen, and where 90 % of it would lie if as many were drawn again. */
export interface BootstrapInterval extends Interval {
  readonly value: number;
}

const ROUNDS = 1_000;
const SEED = 20_260_102;
/** Ends of the 90 % interval. */
const [LOW, HIGH] = [0.05, 0.95] as const;

/**
 * The percentile bootstrap of a statistic of pairs, the same in every run (Efron and Tibshirani, *An Introduction to
 * the Bootstrap*, 1993, chapter 13): pairs are drawn with replacement and stay together, so what both sides of them
 * share takes no part in the interval of their difference. Null where the statistic has nothing to be told from.
 */
export function pairedBootstrap<Pair>(
  pairs: readonly Pair[],
  statistic: (pairs: readonly Pair[]) => number | null,
): BootstrapInterval | null {
  const value = statistic(pairs);
  if (value === null) return null;
  const random = seededRandom(SEED);
  const drawn = () => pairs.map(() => pairs[Math.floor(random() * pairs.length)] as Pair);
  const values = Array.from({ length: ROUNDS }, () => statistic(drawn()))
    // A draw without any that counts tells nothing.
    .filter((each) => each !== null)
    .sort((a, b) => a - b);
  return { value, low: percentile(values, LOW), high: percentile(values, HIGH) };
}
