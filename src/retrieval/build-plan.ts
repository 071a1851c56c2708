import type { VectorPart } from './vector-index.js';

/**
 * A segment is built anew together with smaller ones where they, joined, have at least half of its size. So each
 * vector is built in a few times while a catalogue grows tenfold or is replaced, and there are only ever few
 * segments: each is more than twice as large as all smaller ones together.
 */
const MAX_RATIO = 2;

/**
 * The share of a graph from which on what is gone is worth building it anew. Until then it costs little: a
 * search of the graph is at most twice as wide.
 */
const WORN_SHARE = 0.5;

/**
 * What may lie outside of one fresh graph, as a share of all, once nothing changes any more. Less is not worth
 * building everything anew: a catalogue in which one capability changes now and then would do nothing else.
 */
const STRAY_SHARE = 0.1;

/** A graph, as far as planning goes. */
export interface BuiltPart extends VectorPart {
  /** Capabilities with a vector in the graph, those that are gone included. */
  readonly placedCount: number;
  /** Built from another catalogue than the present one. */
  readonly isOutdated: boolean;
}

/** What is to become one part, and of which kind. */
export interface BuildPlan {
  readonly into: 'exact' | 'segment';
  readonly sources: readonly VectorPart[];
  readonly vectorCount: number;
}

interface Circumstances {
  /** Up to so many vectors, comparing one by one is as fast as a graph. */
  readonly exactUpTo: number;
  /** Vectors in parts that are being joined already. */
  readonly elsewhere: number;
  /** Nothing has changed for a while. */
  readonly isQuiet: boolean;
}

/**
 * Which parts to join now; undefined where all is well: few enough vectors are compared one by one, no segment is
 * worn, and after a change has come to rest, nearly everything lies in one graph.
 */
export function planBuild(
  exact: readonly VectorPart[],
  segments: readonly BuiltPart[],
  { exactUpTo, elsewhere, isQuiet }: Circumstances,
): BuildPlan | undefined {
  const all = [...exact, ...segments];
  const isStray =
    isQuiet && elsewhere === 0 && strayCountOf(exact, segments) > vectorCountOf(all) * STRAY_SHARE;
  if (!isStray && vectorCountOf(exact) <= exactUpTo && !segments.some(isWorn)) return undefined;
  if (vectorCountOf(all) + elsewhere <= exactUpTo) return planOf('exact', all);
  if (isStray) return planOf('segment', all);
  const sources = [...exact];
  for (const segment of segments.toSorted((a, b) => a.vectorCount - b.vectorCount)) {
    const joins = isWorn(segment) || segment.vectorCount <= MAX_RATIO * vectorCountOf(sources);
    if (joins) sources.push(segment);
  }
  return planOf('segment', sources);
}

export function vectorCountOf(parts: readonly VectorPart[]): number {
  return parts.reduce((sum, part) => sum + part.vectorCount, 0);
}

function planOf(into: BuildPlan['into'], sources: readonly VectorPart[]): BuildPlan {
  return { into, sources, vectorCount: vectorCountOf(sources) };
}

/** Whether it holds so much that is gone, or was kept from so different a time, that it is to be built anew. */
function isWorn({ isOutdated, placedCount, vectorCount }: BuiltPart): boolean {
  return isOutdated || placedCount - vectorCount > placedCount * WORN_SHARE;
}

/** What a search looks at besides the best of the largest graph; 0 where there is no graph. */
function strayCountOf(exact: readonly VectorPart[], segments: readonly BuiltPart[]): number {
  const [largest, ...others] = segments.toSorted((a, b) => b.vectorCount - a.vectorCount);
  if (largest === undefined) return 0;
  return vectorCountOf([...exact, ...others]) + largest.placedCount - largest.vectorCount;
}
