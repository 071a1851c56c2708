import type { HnswSegment } from './hnsw-segment.js';
import type { VectorPart } from './vector-index.js';

/**
 * A segment is built anew together with smaller ones where they, joined, have at least a quarter of its size.
 * So each vector is built in a few times while a catalogue grows tenfold, and there are only ever few segments:
 * each is more than four times as large as all smaller ones together.
 */
const MAX_RATIO = 4;

/** What is to become one part. */
export interface BuildPlan {
  readonly sources: readonly VectorPart[];
  readonly vectorCount: number;
}

/**
 * Which parts to join now; undefined where all is well: few enough vectors are compared one by one, and no
 * segment is worn.
 */
export function planBuild(
  exact: readonly VectorPart[],
  segments: readonly HnswSegment[],
  exactUpTo: number,
): BuildPlan | undefined {
  let vectorCount = exact.reduce((sum, part) => sum + part.vectorCount, 0);
  if (vectorCount <= exactUpTo && !segments.some(({ isWorn }) => isWorn)) return undefined;
  const sources = [...exact];
  for (const segment of segments.toSorted((a, b) => a.vectorCount - b.vectorCount)) {
    if (!segment.isWorn && segment.vectorCount > MAX_RATIO * vectorCount) continue;
    sources.push(segment);
    vectorCount += segment.vectorCount;
  }
  return { sources, vectorCount };
}
