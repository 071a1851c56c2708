import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Clock, systemClock } from '../clock.js';
import type { ModelIdentity } from '../embedding/embedder.js';
import { asReachError } from '../errors.js';
import { QuietTime } from '../quiet-time.js';
import { type BuildPlan, planBuild, vectorCountOf } from './build-plan.js';
import { ExactVectorIndex } from './exact-vector-index.js';
import { HnswGraph } from './hnsw-graph.js';
import type { HnswSegment } from './hnsw-segment.js';
import { SegmentStore } from './segment-store.js';
import { bySmallerId, TopK } from './top-k.js';
import type { Accepts, VectorEntry, VectorIndex, VectorPart } from './vector-index.js';
import { exactIndexOf } from './vector-slices.js';

/**
 * Up to so many vectors of 384 numbers a scan takes at most some 0.4 ms. A graph is faster from some 5,000 on
 * (`benchmarks/scale.bench.ts`), but by less than building it, again and again as a catalogue changes, is worth.
 */
const EXACT_UP_TO = 10_000;
/** After a build that failed: 5 s, then twice as long each time, up to 5 minutes. */
const RETRY_MS = 5_000;
const MAX_RETRY_MS = 300_000;

/** One large build and a small one beside it: what comes while the large one runs does not pile up. */
const MAX_BUILDS = 2;

/** Where nothing has changed for so long, a change has come to rest. */
const QUIET_MS = 5_000;

/**
 * Where so many times what may be compared one by one is, searches suffer more from that than from a process
 * that builds without a rest.
 */
const HURRY_FROM = 4;

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
  /** Nothing was ever too much to be compared one by one. */
  | { readonly name: 'unopened' }
  | { readonly name: 'opening' }
  | { readonly name: 'open' }
  /** A build has failed, and a later one may not. */
  | { readonly name: 'waiting'; readonly cancel: () => void }
  /** No graph can be had on this machine. */
  | { readonly name: 'exact only' }
  | { readonly name: 'closed' };

/** New parts; undefined where the old ones stay. */
type Make = (
  entries: Iterable<VectorEntry>,
) => Promise<{ readonly segments: readonly HnswSegment[]; readonly exact: ExactVectorIndex[] } | undefined>;

/** Parts on their way to become others. */
interface Build {
  readonly sources: ReadonlySet<VectorPart>;
  /** What was removed from them since they were read. */
  readonly removed: number[];
}

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
  #exact: ExactVectorIndex[];
  #segments: HnswSegment[] = [];
  #state: State = { name: 'unopened' };
  readonly #builds = new Set<Build>();
  readonly #running = new Set<Promise<void>>();
  readonly #closing = new AbortController();
  readonly #quiet: QuietTime;
  #failures = 0;
  #closed: Promise<void> | undefined;

  constructor(options: LayeredVectorIndexOptions) {
    const { folder, report, exactUpTo = EXACT_UP_TO, clock = systemClock } = options;
    this.#options = options;
    this.#exactUpTo = exactUpTo;
    this.#clock = clock;
    this.#quiet = new QuietTime(clock, QUIET_MS, () => this.#consider({ isQuiet: true }));
    this.#store = new SegmentStore({ folder, report });
    this.#young = this.#newExact();
    this.#exact = [this.#young];
  }

  add(id: number, vector: Float32Array): void {
    this.#young.add(id, vector);
    this.#consider();
  }

  remove(id: number): void {
    for (const part of this.#parts) part.remove(id);
    for (const { removed } of this.#builds) removed.push(id);
    this.#consider();
  }

  search(vector: Float32Array, k: number, accepts: Accepts, goesFirst = bySmallerId): number[] {
    const best = new TopK(k, goesFirst);
    for (const part of this.#parts) part.offer({ vector, k, accepts }, best);
    return best.ids();
  }

  get state(): State['name'] {
    return this.#state.name;
  }

  /** How the vectors lie now. */
  status(): {
    readonly building: boolean;
    readonly exactVectors: number;
    readonly segmentVectors: readonly number[];
  } {
    return {
      building: this.#running.size > 0,
      exactVectors: vectorCountOf(this.#exact),
      segmentVectors: this.#segments.map(({ vectorCount }) => vectorCount),
    };
  }

  /** Ends running builds. Kept segments are noted to be in step with the present catalogue. */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    if (this.#state.name === 'waiting') this.#state.cancel();
    this.#quiet.cancel();
    this.#state = { name: 'closed' };
    this.#closing.abort();
    await Promise.all(this.#running);
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

  /** What to build of the parts that are not being built already. */
  #plan(isQuiet: boolean): BuildPlan | undefined {
    const taken = [...this.#builds].flatMap(({ sources }) => [...sources]);
    const isFree = (part: VectorPart) => !taken.includes(part);
    return planBuild(this.#exact.filter(isFree), this.#segments.filter(isFree), {
      exactUpTo: this.#exactUpTo,
      elsewhere: vectorCountOf(taken),
      isQuiet,
    });
  }

  #consider({ isQuiet } = { isQuiet: false }): void {
    const { name } = this.#state;
    if (this.#segments.length > 0 && name === 'open' && !isQuiet) this.#quiet.restart();
    const mayBuild = name === 'unopened' || (name === 'open' && this.#running.size < MAX_BUILDS);
    if (!mayBuild || this.#plan(isQuiet) === undefined) return;
    if (name === 'unopened') this.#state = { name: 'opening' };
    const running = this.#work({ isFirst: name === 'unopened', isQuiet }).finally(() => {
      this.#running.delete(running);
      this.#consider();
    });
    this.#running.add(running);
  }

  /** Never rejects. */
  async #work({ isFirst, isQuiet }: { isFirst: boolean; isQuiet: boolean }): Promise<void> {
    // A catalogue is added in one go: what comes with this addition belongs to the same build.
    await nextTurn();
    try {
      if (isFirst && !(await this.#open())) return;
      const plan = this.#plan(isQuiet);
      if (plan !== undefined && !this.#closing.signal.aborted) await this.#build(plan);
      this.#failures = 0;
    } catch (thrown) {
      this.#failed(asReachError(thrown).message);
    }
  }

  #failed(message: string): void {
    if (this.#state.name === 'closed' || this.#state.name === 'waiting') return;
    const next: State = this.#state.name === 'opening' ? { name: 'unopened' } : { name: 'open' };
    const delayMs = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.#failures);
    this.#failures += 1;
    this.#options.report(`${message} Until it is built, in another try, vectors are compared one by one.`);
    const cancel = this.#clock.after(delayMs, () => {
      this.#state = next;
      this.#consider();
    });
    this.#state = { name: 'waiting', cancel };
  }

  /** Takes up what an earlier start has kept. False where there can be no graph. */
  async #open(): Promise<boolean> {
    const missing = await HnswGraph.missing();
    if (missing !== undefined) {
      this.#options.report(
        `There is no vector index (hnswlib-node) on this machine, so all vectors are compared one by one, which takes longer: ${missing}`,
      );
      this.#state = { name: 'exact only' };
      return false;
    }
    await this.#replace(this.#exact, async (entries) => {
      const opened = await this.#store.open(entries, this.#identity);
      return opened === undefined ? undefined : { segments: opened.segments, exact: [opened.rest] };
    });
    if (this.#state.name === 'opening') this.#state = { name: 'open' };
    return true;
  }

  async #build({ into, sources, vectorCount }: BuildPlan): Promise<void> {
    await this.#replace(sources, async (entries) => {
      if (into === 'exact') {
        return { segments: [], exact: [await exactIndexOf(entries, this.#options.model.dim)] };
      }
      const segment = await this.#store.build(entries, {
        capacity: vectorCount,
        identity: this.#identity,
        mayRest: () => vectorCountOf(this.#exact) <= HURRY_FROM * this.#exactUpTo,
        signal: this.#closing.signal,
      });
      return { segments: [segment], exact: [] };
    });
  }

  /**
   * Makes other parts of some, which are searched until then, and puts them in their place in one step, so that
   * a search sees either these or those. Nothing is added to the sources meanwhile; what is removed is noted.
   */
  async #replace(parts: readonly VectorPart[], make: Make): Promise<void> {
    const build: Build = { sources: new Set(parts), removed: [] };
    if (build.sources.has(this.#young)) {
      this.#young = this.#newExact();
      this.#exact.push(this.#young);
    }
    this.#builds.add(build);
    const made = await make(entriesOf(parts)).finally(() => this.#builds.delete(build));
    if (made === undefined) return;
    for (const part of [...made.segments, ...made.exact]) for (const id of build.removed) part.remove(id);
    const replaced = this.#segments.filter((segment) => build.sources.has(segment));
    this.#segments = [...this.#segments.filter((segment) => !build.sources.has(segment)), ...made.segments];
    this.#exact = [...this.#exact.filter((part) => !build.sources.has(part)), ...made.exact];
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
