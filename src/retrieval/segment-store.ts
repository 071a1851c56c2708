import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asReachError } from '../errors.js';
import type { ExactVectorIndex } from './exact-vector-index.js';
import { HnswChild } from './hnsw-child.js';
import { HnswGraph } from './hnsw-graph.js';
import { HnswSegment } from './hnsw-segment.js';
import { fingerprintOf, SegmentFile, type SegmentIdentity, type SegmentSidecar } from './segment-file.js';
import { SegmentMembers } from './segment-members.js';
import type { VectorEntry } from './vector-index.js';
import { exactIndexOf, packed, slicesOf } from './vector-slices.js';

interface SegmentStoreOptions {
  /** Where segments are kept between starts; null: nowhere. */
  readonly folder: string | null;
  /** Told, in one sentence each, of files that cannot be used. */
  readonly report: (message: string) => void;
}

interface BuildOptions {
  /** Vectors of the entries, or more. */
  readonly capacity: number;
  readonly identity: SegmentIdentity;
  /** Asked again and again: whether the process that builds shall rest as long as it works. */
  readonly mayRest: () => boolean;
  /** Ends the build. */
  readonly signal: AbortSignal;
}

export interface OpenedSegments {
  readonly segments: readonly HnswSegment[];
  readonly rest: ExactVectorIndex;
}

/** Entries by what their vector is; equal ones one after the other. */
type Unclaimed = Map<string, VectorEntry[]>;

/** Makes segments: builds them in a process of their own, or takes up those that an earlier start has kept. */
export class SegmentStore {
  readonly #options: SegmentStoreOptions;

  constructor(options: SegmentStoreOptions) {
    this.#options = options;
  }

  /**
   * Builds a segment of the entries. What is removed from them meanwhile may be in it or not.
   * @throws ReachError INTERNAL, STORE_UNAVAILABLE where it could not be built; then nothing is left of it.
   */
  async build(entries: Iterable<VectorEntry>, options: BuildOptions): Promise<HnswSegment> {
    const { folder } = this.#options;
    if (folder !== null) return await this.#buildIn(folder, entries, options);
    const passing = await mkdtemp(join(tmpdir(), 'agent-reach-index-'));
    try {
      return await this.#buildIn(passing, entries, options);
    } finally {
      await rm(passing, { recursive: true, force: true });
    }
  }

  /**
   * The kept segments that hold something of the entries, and the entries that none of them holds. Each row is
   * taken only as what it is: the vector of a capability that is there now. Files that cannot be used are
   * reported and removed. Undefined where nothing of use is kept.
   */
  async open(entries: Iterable<VectorEntry>, identity: SegmentIdentity): Promise<OpenedSegments | undefined> {
    const { folder } = this.#options;
    const kept = folder === null ? [] : await this.#usable(folder, identity);
    if (kept.length === 0) return undefined;
    const unclaimed = await byFingerprint(entries);
    const segments: HnswSegment[] = [];
    for (const { file, sidecar } of kept) {
      const segment = await this.#take(file, sidecar, identity, unclaimed);
      if (segment === undefined) await file.remove();
      else segments.push(segment);
    }
    return { segments, rest: await exactIndexOf([...unclaimed.values()].flat(), identity.dim) };
  }

  async #buildIn(
    folder: string,
    entries: Iterable<VectorEntry>,
    { capacity, identity, mayRest, signal }: BuildOptions,
  ): Promise<HnswSegment> {
    await mkdir(folder, { recursive: true });
    const name = SegmentFile.newName();
    const file = new SegmentFile(folder, name);
    const members = new SegmentMembers();
    const child = new HnswChild(signal);
    try {
      await child.ask({ type: 'begin', folder, name, identity, capacity });
      for await (const slice of slicesOf(entries)) {
        const vectors = packed(slice, identity.dim);
        const rows = await child.ask({ type: 'slice', vectors, mayRest: mayRest() });
        for (const [i, row] of rows.entries()) members.place(row, slice[i]);
      }
      await child.ask({ type: 'finish' });
      const graph = await HnswGraph.load(file.graphPath, identity.dim);
      const kept = this.#options.folder === null ? undefined : file;
      return new HnswSegment({ graph, members, file: kept, isOutdated: false });
    } catch (thrown) {
      await child.end();
      await file.remove();
      throw asReachError(thrown);
    } finally {
      await child.end();
    }
  }

  async #usable(folder: string, identity: SegmentIdentity) {
    await mkdir(folder, { recursive: true });
    const usable: { file: SegmentFile; sidecar: SegmentSidecar }[] = [];
    for (const file of await SegmentFile.in(folder)) {
      try {
        usable.push({ file, sidecar: await file.check(identity) });
      } catch (thrown) {
        await this.#refuse(file, thrown);
      }
    }
    return usable.sort((a, b) => b.sidecar.bytes - a.sidecar.bytes);
  }

  async #take(
    file: SegmentFile,
    { rows, fingerprints, catalogueVersion }: SegmentSidecar,
    identity: SegmentIdentity,
    unclaimed: Unclaimed,
  ): Promise<HnswSegment | undefined> {
    try {
      const graph = await HnswGraph.load(file.graphPath, identity.dim);
      const members = new SegmentMembers();
      for (const [i, row] of rows.entries()) members.place(row, claim(unclaimed, fingerprints[i] ?? ''));
      if (members.vectors.size === 0) return undefined;
      const isOutdated = catalogueVersion !== identity.catalogueVersion;
      return new HnswSegment({ graph, members, file, isOutdated });
    } catch (thrown) {
      await this.#refuse(file, thrown);
      return undefined;
    }
  }

  async #refuse(file: SegmentFile, thrown: unknown): Promise<void> {
    this.#options.report(`${asReachError(thrown).message} It is built anew.`);
    await file.remove();
  }
}

async function byFingerprint(entries: Iterable<VectorEntry>): Promise<Unclaimed> {
  const unclaimed: Unclaimed = new Map();
  for await (const slice of slicesOf(entries)) {
    for (const entry of slice) {
      const fingerprint = fingerprintOf(entry[1]);
      const equal = unclaimed.get(fingerprint);
      if (equal === undefined) unclaimed.set(fingerprint, [entry]);
      else equal.push(entry);
    }
  }
  return unclaimed;
}

function claim(unclaimed: Unclaimed, fingerprint: string): VectorEntry | undefined {
  const equal = unclaimed.get(fingerprint);
  const entry = equal?.pop();
  if (equal?.length === 0) unclaimed.delete(fingerprint);
  return entry;
}
