import type { BuiltPart } from './build-plan.js';
import type { HnswGraph } from './hnsw-graph.js';
import type { SegmentFile } from './segment-file.js';
import type { SegmentMembers } from './segment-members.js';
import type { TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorQuery } from './vector-index.js';
import { dot } from './vector-math.js';

/**
 * How wide the search in a graph is, for each row that it has to give so that enough of them are still there: see
 * `benchmarks/scale.bench.ts` for what it finds. Where a filter left too few, it is done more widely, and then as
 * widely as is faster than comparing all.
 */
const BEAM_PER_ROW = 1.25;
const LEAST_BEAM = 48;
const WIDER = 4;
const WIDEST_BEAM = 1_024;
/** The graph's own order is that of rounded sums: among equals it may put the wrong one first. */
const COMPARED_TOO = 8;

interface SegmentParts {
  readonly graph: HnswGraph;
  readonly members: SegmentMembers;
  /** Undefined where it is not kept. */
  readonly file: SegmentFile | undefined;
  readonly isOutdated: boolean;
}

/**
 * Capabilities whose vectors lie in a graph that never changes. The graph only proposes: what is removed is
 * dropped, and the rest is compared one by one, so that order and scores are those of the exact scan.
 */
export class HnswSegment implements BuiltPart {
  readonly #parts: SegmentParts;

  constructor(parts: SegmentParts) {
    this.#parts = parts;
  }

  get vectorCount(): number {
    return this.#parts.members.vectors.size;
  }

  get file(): SegmentFile | undefined {
    return this.#parts.file;
  }

  get placedCount(): number {
    return this.#parts.members.placed;
  }

  get isOutdated(): boolean {
    return this.#parts.isOutdated;
  }

  entries(): Iterable<VectorEntry> {
    return this.#parts.members.vectors.entries();
  }

  remove(id: number): void {
    this.#parts.members.vectors.delete(id);
  }

  offer(query: VectorQuery, best: TopK): void {
    for (const id of this.#candidates(query)) {
      const vector = this.#parts.members.vectors.get(id);
      if (vector !== undefined) best.offer(id, dot(query.vector, vector));
    }
  }

  /** Gives the native memory back. What is still asked for is found by comparing all. */
  release(): void {
    this.#parts.graph.release();
  }

  /** At least the `k` nearest of the accepted; all of the accepted where a graph cannot be sure to find them. */
  #candidates({ vector, k, accepts }: VectorQuery): Iterable<number> {
    const { graph, members } = this.#parts;
    const compared = k + COMPARED_TOO;
    // What is gone is still in the graph, and takes its place among the nearest.
    const rows = (compared * members.placed) / Math.max(1, members.vectors.size);
    const first = Math.max(LEAST_BEAM, Math.ceil(BEAM_PER_ROW * rows));
    for (const beam of [first, WIDER * first, WIDEST_BEAM]) {
      if (beam > WIDEST_BEAM || beam >= graph.rows) continue;
      const near = this.#accepted(graph.nearest(vector, beam), accepts, compared);
      if (near.length >= k) return near;
    }
    return [...members.vectors.keys()].filter(accepts);
  }

  /** The first accepted capabilities of some rows. */
  #accepted(rows: readonly number[], accepts: Accepts, atMost: number): readonly number[] {
    const { members } = this.#parts;
    const accepted: number[] = [];
    for (const row of rows) {
      for (const id of members.owners(row)) {
        if (accepted.length === atMost) return accepted;
        if (members.vectors.has(id) && accepts(id)) accepted.push(id);
      }
    }
    return accepted;
  }
}
