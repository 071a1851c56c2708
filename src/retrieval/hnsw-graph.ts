import { open } from 'node:fs/promises';
import type { HierarchicalNSW } from 'hnswlib-node';
import { describe, ReachError } from '../errors.js';
import { isVector } from './vector-math.js';

/** Links a node and breadth of the search for them, while a graph is built. Measured by `benchmarks/scale.bench.ts`. */
const LINKS = 16;
const BUILD_BEAM = 200;
const SEED = 100;
/** Labels are unsigned 32-bit numbers, and larger ones would silently become small ones. */
const MAX_ROWS = 2 ** 32;

/** The beginning of a saved graph, as hnswlib 0.8 writes it: size_t each, on 64-bit machines little-endian. */
const HEADER_BYTES = 96;
const ROWS_AT = 16;
const ROW_BYTES_AT = 24;
const VECTOR_END_AT = 32;
const VECTOR_START_AT = 40;
const FLOAT_BYTES = Float32Array.BYTES_PER_ELEMENT;

/**
 * A graph of vectors (HNSW, https://arxiv.org/abs/1603.09320) in native memory: the only place that knows
 * `hnswlib-node`, which takes the process along or answers nonsense where it is used in another way than here.
 *
 * Rows are numbered as they are added and never removed: no label is ever used twice or can overflow. There is
 * no filter, since one that throws ends the process: callers drop what they do not want. A file is only read
 * into a new graph, since one that is used is freed twice when reading fails. A search gives as many rows as
 * its beam is wide, so that it does not depend on a breadth that hnswlib forgets when it loads.
 */
export class HnswGraph {
  readonly #native: HierarchicalNSW;
  readonly #dim: number;
  #rows: number;

  private constructor(native: HierarchicalNSW, dim: number, rows: number) {
    this.#native = native;
    this.#dim = dim;
    this.#rows = rows;
  }

  /** Why no graph can be had on this machine: `hnswlib-node` is not installed, or not compiled. Undefined where it can. */
  static async missing(): Promise<string | undefined> {
    try {
      await newNative(1);
      return undefined;
    } catch (thrown) {
      const [firstLine = ''] = (thrown instanceof Error ? thrown.message : String(thrown)).split('\n');
      return firstLine;
    }
  }

  static async empty(dim: number, capacity: number): Promise<HnswGraph> {
    if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_ROWS) {
      throw unusable(`room for 1 to ${MAX_ROWS} vectors`, capacity);
    }
    const native = await newNative(dim);
    native.initIndex(capacity, LINKS, BUILD_BEAM, SEED);
    return new HnswGraph(native, dim, 0);
  }

  /**
   * Reads a saved graph, off the main thread.
   * @throws ReachError STORE_UNAVAILABLE where the file is no graph of vectors of this dimension.
   */
  static async load(path: string, dim: number): Promise<HnswGraph> {
    const rows = await rowsOf(path, dim);
    const native = await newNative(dim);
    try {
      await native.readIndex(path);
    } catch (cause) {
      throw damaged(path, cause instanceof Error ? cause.message : String(cause));
    }
    return new HnswGraph(native, dim, rows);
  }

  get rows(): number {
    return this.#rows;
  }

  /** Adds a vector and returns the number of its row. @throws ReachError INTERNAL where it is none, or there is no room. */
  add(vector: Float32Array): number {
    const numbers = this.#checked(vector);
    this.#native.addPoint(numbers, this.#rows);
    this.#rows += 1;
    return this.#rows - 1;
  }

  /** The rows of about the `beam` nearest vectors, by inner product, nearest first. */
  nearest(query: Float32Array, beam: number): number[] {
    const numbers = this.#checked(query);
    const width = Math.min(beam, this.#rows);
    return width < 1 ? [] : this.#native.searchKnn(numbers, width).neighbors;
  }

  /** Writes the graph and waits until it is on the disk. */
  async save(path: string): Promise<void> {
    await this.#native.writeIndex(path);
    const file = await open(path, 'r+');
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  }

  /** Gives the native memory back now: the garbage collector does not see how large it is. Then the graph is empty. */
  release(): void {
    this.#rows = 0;
    this.#native.initIndex(1);
  }

  /** As the array of plain numbers that hnswlib wants: it takes NaN for a number, and anything else ends the process. */
  #checked(vector: Float32Array): number[] {
    if (!isVector(vector, this.#dim)) throw unusable(`${this.#dim} finite numbers`, vector);
    return Array.from(vector);
  }
}

async function newNative(dim: number): Promise<HierarchicalNSW> {
  const { default: hnswlib } = await import('hnswlib-node');
  return new hnswlib.HierarchicalNSW('ip', dim);
}

/** Checks what hnswlib does not: that the file holds vectors of this dimension, and could hold as many as it says. */
async function rowsOf(path: string, dim: number): Promise<number> {
  const file = await open(path).catch((cause: Error) => {
    throw damaged(path, cause.message);
  });
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    const { bytesRead } = await file.read(header, 0, HEADER_BYTES, 0);
    const at = (offset: number) => Number(header.readBigUInt64LE(offset));
    const bytes = (await file.stat()).size;
    const whole = bytesRead === HEADER_BYTES && bytes >= HEADER_BYTES + at(ROWS_AT) * at(ROW_BYTES_AT);
    if (!whole) throw damaged(path, 'it has no beginning, or its end is missing');
    const vectorBytes = at(VECTOR_END_AT) - at(VECTOR_START_AT);
    if (vectorBytes !== dim * FLOAT_BYTES) {
      throw damaged(path, `its vectors have ${vectorBytes / FLOAT_BYTES} numbers, and not ${dim}`);
    }
    return at(ROWS_AT);
  } finally {
    await file.close();
  }
}

function damaged(path: string, why: string): ReachError {
  return new ReachError('STORE_UNAVAILABLE', `${path} is not a usable vector index: ${why}.`);
}

function unusable(expected: string, received: unknown): ReachError {
  return new ReachError('INTERNAL', `A vector index wants ${expected}, and received ${describe(received)}.`);
}
