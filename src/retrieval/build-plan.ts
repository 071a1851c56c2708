import type { HnswSegment } from './hnsw-segment.js';
import type { VectorPart } from './vector-index.js';

/**
 * A segment is built anew together with smaller ones where they, joined, have at least a quarter of its size.
 * So each vector is built in a few times while a catalogue grows tenfold, and there are only ever few segments:
 * each is more than four times as large as all smaller ones together.
 */
const MAX_RATIO = 4;

/**
 * Beside graphs, the scan over what came since is all that grows between two builds, so it is kept short: a
 * quarter of what is compared one by one where there is no graph yet.
 */
const YOUNG_SHARE = 0.25;

/** What is to become one part, and of which kind. */
export interface BuildPlan {
  readonly into: 'exact' | 'segment';
  readonly sources: readonly VectorPart[];
  readonly vectorCount: number;
}

interface Bounds {
  /** Up to so many vectors in all, no graph is worth it. */
  readonly exactUpTo: number;
  /** Vectors in parts that are being joined already. */
  readonly elsewhere: number;
}

/**
 * Which parts to join now; undefined where all is well: few enough vectors are compared one by one, and no
 * segment is worn.
 */
export function planBuild(
  exact: readonly VectorPart[],
  segments: readonly HnswSegment[],
  { exactUpTo, elsewhere }: Bounds,
): BuildPlan | undefined {
  const young = vectorCountOf(exact);
  const hasGraph = segments.length > 0 || elsewhere > 0;
  const limit = hasGraph ? exactUpTo * YOUNG_SHARE : exactUpTo;
  if (young <= limit && !segments.some(({ isWorn }) => isWorn)) return undefined;
  const all = [...exact, ...segments];
  if (vectorCountOf(all) + elsewhere <= exactUpTo) {
    return { into: 'exact', sources: all, vectorCount: vectorCountOf(all) };
  }
  const sources = [...exact];
  for (const segment of segments.toSorted((a, b) => a.vectorCount - b.vectorCount)) {
    const joins = segment.isWorn || segment.vectorCount <= MAX_RATIO * vectorCountOf(sources);
    if (joins) sources.push(segment);
  }
  return { into: 'segment', sources, vectorCount: vectorCountOf(sources) };
}

export function vectorCountOf(parts: readonly VectorPart[]): number {
  return parts.reduce((sum, part) => sum + part.vectorCount, 0);
}
