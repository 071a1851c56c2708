import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.js';
import type { ModelIdentity } from '../embedding/embedder.js';
import { asReachError } from '../errors.js';
import { type BuildPlan, planBuild, vectorCountOf } from './build-plan.js';
import { ExactVectorIndex } from './exact-vector-index.js';
import { HnswGraph } from './hnsw-graph.js';
import type { HnswSegment } from './hnsw-segment.js';
import { SegmentStore } from './segment-store.js';
import { TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorIndex, VectorPart } from './vector-index.js';
import { exactIndexOf } from './vector-slices.js';

/** Up to so many vectors the exact scan is as fast as a graph. Measured by `benchmarks/scale.bench.ts`. */
const EXACT_UP_TO = 2_000;
/** After a build that failed: 5 s, then twice as long each time, up to 5 minutes. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

export interface LayeredVectorIndexOptions {
  readonly model: Pick<ModelIdentity, 'dim' | 'hash'>;
  /** Where segments are kept between starts; null: nowhere. */
  readonly folder: string | null;
  /** The catalogue that the vectors are of, now. */
  readonly catalogueVersion: () => number;
  /** Told, in one sentence each, of what goes wrong; callers are answered all the same. */
  readonly report: (message: string) => void;
  /** Vectors that are compared one by one before a graph is worth it. */
  readonly exactUpTo?: number;
  readonly clock?: Clock;
}

type State =
  | { readonly name: 'idle' }
  | { readonly name: 'working'; readonly abort: AbortController; readonly done: Promise<void> }
  | { readonly name: 'waiting'; readonly cancel: () => void }
  /** No graph can be had on this machine. */
  | { readonly name: 'exact only' }
  | { readonly name: 'closed' };

/**
 * The vectors of a catalogue of any size. Few are compared one by one. What is more goes into segments, graphs
 * that never change, built in a process of their own while everything is still found where it was:
 *
 * ```
 * add ──> [ young, exact ] ──┐ too many, or a segment worn
 *                            ├──> build ──> [ new segment ]
 *         [ segment ] ───────┘              in place of both, in one step
 * search: the best of all parts            remove: from the part that has it
 * ```
 *
 * Changes and searches are synchronous, so nobody waits and nobody sees half a change.
 */
export class LayeredVectorIndex implements VectorIndex {
  readonly #options: LayeredVectorIndexOptions;
  readonly #exactUpTo: number;
  readonly #clock: Clock;
  readonly #store: SegmentStore;
  /** Where additions go; one of the exact parts. */
  #young: ExactVectorIndex;
  #exact: readonly ExactVectorIndex[];
  #segments: readonly HnswSegment[] = [];
  #state: State = { name: 'idle' };
  /** What an earlier start has kept is looked for once, when it is first needed. */
  #opened: boolean;
  #failures = 0;
  /** What was removed since the sources of the running build were read. */
  #removedMeanwhile: number[] = [];

  constructor(options: LayeredVectorIndexOptions) {
    const { folder, report, exactUpTo = EXACT_UP_TO, clock = systemClock } = options;
    this.#options = options;
    this.#exactUpTo = exactUpTo;
    this.#clock = clock;
    this.#store = new SegmentStore({ folder, report });
    this.#opened = folder === null;
    this.#young = this.#newExact();
    this.#exact = [this.#young];
  }

  add(id: number, vectors: readonly Float32Array[]): void {
    this.#young.add(id, vectors);
    this.#consider();
  }

  remove(id: number): void {
    for (const part of this.#parts) part.remove(id);
    if (this.#state.name === 'working') this.#removedMeanwhile.push(id);
    this.#consider();
  }

  search(vector: Float32Array, k: number, accepts: Accepts): number[] {
    const best = new TopK(k);
    for (const part of this.#parts) part.offer({ vector, k, accepts }, best);
    return best.ids();
  }

  /** How the vectors lie now. */
  status(): {
    readonly building: boolean;
    readonly exactVectors: number;
    readonly segmentVectors: readonly number[];
  } {
    return {
      building: this.#state.name === 'working',
      exactVectors: vectorCountOf(this.#exact),
      segmentVectors: this.#segments.map(({ vectorCount }) => vectorCount),
    };
  }

  /** Ends a running build. Kept segments are noted to be in step with the present catalogue. */
  async close(): Promise<void> {
    const state = this.#state;
    this.#state = { name: 'closed' };
    if (state.name === 'closed') return;
    if (state.name === 'waiting') state.cancel();
    if (state.name === 'working') {
      state.abort.abort();
      await state.done;
    }
    const version = this.#options.catalogueVersion();
    for (const segment of this.#segments) {
      segment.release();
      await segment.file?.renew(version);
    }
  }

  get #parts(): readonly VectorPart[] {
    return [...this.#exact, ...this.#segments];
  }

  #newExact(): ExactVectorIndex {
    return new ExactVectorIndex(this.#options.model.dim);
  }

  #plan(): BuildPlan | undefined {
    return planBuild(this.#exact, this.#segments, this.#exactUpTo);
  }

  #consider(): void {
    if (this.#state.name !== 'idle' || this.#plan() === undefined) return;
    const abort = new AbortController();
    this.#removedMeanwhile = [];
    this.#state = { name: 'working', abort, done: this.#work(abort.signal) };
  }

  /** Never rejects. */
  async #work(signal: AbortSignal): Promise<void> {
    // A catalogue is added in one go: what comes with this addition belongs to the same build.
    await nextTurn();
    const next = await this.#buildAll(signal);
    if (this.#state.name !== 'working') return;
    this.#state = next;
    this.#consider();
  }

  async #buildAll(signal: AbortSignal): Promise<State> {
    const missing = await HnswGraph.missing();
    if (missing !== undefined) {
      this.#options.report(
        `There is no vector index (hnswlib-node) on this machine, so all vectors are compared one by one, which takes longer: ${missing}`,
      );
      return { name: 'exact only' };
    }
    try {
      if (!this.#opened) await this.#open();
      for (let plan = this.#plan(); plan !== undefined && !signal.aborted; plan = this.#plan()) {
        await this.#build(plan, signal);
      }
      this.#failures = 0;
      return { name: 'idle' };
    } catch (thrown) {
      return this.#failed(asReachError(thrown).message, signal);
    }
  }

  #failed(message: string, signal: AbortSignal): State {
    if (signal.aborted) return { name: 'closed' };
    // Each try has left a part to add to: the tries of a bad day must not pile up.
    this.#exact = this.#exact.filter((part) => part === this.#young || part.vectorCount > 0);
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#options.report(`${message} Until it is built, in another try, vectors are compared one by one.`);
    const cancel = this.#clock.after(delayMs, () => {
      this.#state = { name: 'idle' };
      this.#consider();
    });
    return { name: 'waiting', cancel };
  }

  /** Takes up what an earlier start has kept. */
  async #open(): Promise<void> {
    const sources = this.#freeze(this.#exact);
    const opened = await this.#store.open(entriesOf(sources), this.#identity);
    this.#opened = true;
    if (opened !== undefined) await this.#exchange(sources, opened.segments, [opened.rest]);
  }

  async #build({ into, sources: planned, vectorCount }: BuildPlan, signal: AbortSignal): Promise<void> {
    const sources = this.#freeze(planned);
    const entries = entriesOf(sources);
    if (into === 'exact') {
      await this.#exchange(sources, [], [await exactIndexOf(entries, this.#options.model.dim)]);
    } else {
      const segment = await this.#store.build(entries, vectorCount, this.#identity, signal);
      await this.#exchange(sources, [segment], []);
    }
  }

  /** From now on nothing is added to these parts, and what is removed from them is noted. */
  #freeze(parts: Iterable<VectorPart>): ReadonlySet<VectorPart> {
    const sources = new Set(parts);
    this.#young = this.#newExact();
    this.#exact = [...this.#exact, this.#young];
    this.#removedMeanwhile = [];
    return sources;
  }

  /** Puts new parts in the place of their sources: one step, so that a search sees either these or those. */
  async #exchange(
    sources: ReadonlySet<VectorPart>,
    segments: readonly HnswSegment[],
    exact: readonly ExactVectorIndex[],
  ): Promise<void> {
    for (const part of [...segments, ...exact]) for (const id of this.#removedMeanwhile) part.remove(id);
    const replaced = this.#segments.filter((segment) => sources.has(segment));
    this.#segments = [...this.#segments.filter((segment) => !sources.has(segment)), ...segments];
    this.#exact = [...this.#exact.filter((part) => !sources.has(part)), ...exact];
    for (const segment of replaced) {
      segment.release();
      await segment.file?.remove();
    }
  }

  get #identity() {
    const { model, catalogueVersion } = this.#options;
    return { dim: model.dim, modelHash: model.hash, catalogueVersion: catalogueVersion() };
  }
}

function* entriesOf(parts: Iterable<VectorPart>): Iterable<VectorEntry> {
  for (const part of parts) yield* part.entries();
}
