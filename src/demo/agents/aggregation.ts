import { type Cell, rounded, sumOf } from '../rows.js';

export const AGGREGATES = ['sum', 'avg', 'count', 'min', 'max'] as const;
export type Aggregate = (typeof AGGREGATES)[number];

/**
 * One figure over the cells of a group; what is no number counts only for `count`.
 * null where there is nothing to take an average or an extreme of.
 */
export function aggregateOf(cells: readonly Cell[], aggregate: Aggregate): number | null {
  if (aggregate === 'count') return cells.length;
  const numbers = cells.filter((cell) => typeof cell === 'number');
  if (aggregate === 'sum') return rounded(sumOf(numbers));
  if (numbers.length === 0) return null;
  if (aggregate === 'avg') return rounded(sumOf(numbers) / numbers.length);
  const further = aggregate === 'min' ? Math.min : Math.max;
  return numbers.reduce((best, each) => further(best, each));
}

/** The aggregate that a sentence asks for, where it does. */
export function namedAggregate(intent: string): Aggregate | undefined {
  const words = intent.toLowerCase();
  if (/\b(average|avg|mean)\b/.test(words)) return 'avg';
  if (/\b(count|how many|number of)\b/.test(words)) return 'count';
  if (/\b(min|minimum|lowest|smallest)\b/.test(words)) return 'min';
  if (/\b(max|maximum|highest|largest)\b/.test(words)) return 'max';
  return undefined;
}
