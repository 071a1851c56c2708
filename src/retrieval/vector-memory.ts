import { DOT_WASM } from './dot-wasm.js';

const FLOAT_BYTES = 4;
const PAGE_BYTES = 65_536;
/** What the kernel takes in one step. */
const STEP_FLOATS = 16;
/** 4 GB, all that the kernel can address: 2.8 million vectors of 384 numbers. */
const MAX_PAGES = 65_536;
/** The first row is the query's. */
const QUERY = 0;
/** Rows that are compared in one call of the kernel. What comes of it lies in front of the rows. */
const BLOCK = 1_024;
const ROWS_AT = BLOCK * FLOAT_BYTES;

interface Kernel {
  dot(a: number, b: number, bytes: number): number;
  dots(a: number, b: number, bytes: number, count: number, out: number): void;
}

/** The dot products of the query with consecutive rows, valid until the next ones are asked for. */
interface Similarities {
  readonly first: number;
  readonly cosines: Float32Array;
}

const module = new WebAssembly.Module(Buffer.from(DOT_WASM, 'base64'));

/**
 * Vectors of one length in the memory of a SIMD kernel, where they are compared without a copy. Each lies in a row
 * of its own; a row that was freed is taken again.
 */
export class VectorMemory {
  readonly #dim: number;
  readonly #rowBytes: number;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  readonly #kernel: Kernel;
  readonly #freeRows: number[] = [];
  #usedRows = 0;

  constructor(dim: number) {
    this.#dim = dim;
    this.#rowBytes = Math.ceil(dim / STEP_FLOATS) * STEP_FLOATS * FLOAT_BYTES;
    const { exports } = new WebAssembly.Instance(module, { vectors: { memory: this.#memory } });
    this.#kernel = exports as unknown as Kernel;
    this.#newRow();
  }

  /** Copies a vector in. @returns its row */
  add(vector: Float32Array): number {
    const row = this.#freeRows.pop() ?? this.#newRow();
    this.#at(row).set(vector);
    return row;
  }

  /** A copy of the vector in a row. */
  vector(row: number): Float32Array {
    return this.#at(row).slice();
  }

  free(row: number): void {
    this.#freeRows.push(row);
  }

  /** The vector that rows are compared with from now on. */
  aim(query: Float32Array): void {
    this.#at(QUERY).set(query);
  }

  /** The dot product of the query and a row: their cosine where both are of unit length. */
  similarity(row: number): number {
    return this.between(QUERY, row);
  }

  /** The same for all rows, block by block. Those of rows that are free are of no meaning. */
  *similarities(): Iterable<Similarities> {
    for (let first = QUERY + 1; first < this.#usedRows; first += BLOCK) {
      const count = Math.min(BLOCK, this.#usedRows - first);
      this.#kernel.dots(this.#addressOf(QUERY), this.#addressOf(first), this.#rowBytes, count, 0);
      yield { first, cosines: new Float32Array(this.#memory.buffer, 0, count) };
    }
  }

  /** The dot product of two rows. */
  between(a: number, b: number): number {
    return this.#kernel.dot(this.#addressOf(a), this.#addressOf(b), this.#rowBytes);
  }

  #addressOf(row: number): number {
    return ROWS_AT + row * this.#rowBytes;
  }

  #at(row: number): Float32Array {
    return new Float32Array(this.#memory.buffer, this.#addressOf(row), this.#dim);
  }

  #newRow(): number {
    const row = this.#usedRows;
    const missing = this.#addressOf(row + 1) - this.#memory.buffer.byteLength;
    // By half as much again, so that a large catalogue is not moved for every few vectors.
    if (missing > 0) {
      const half = this.#memory.buffer.byteLength / 2;
      const left = MAX_PAGES * PAGE_BYTES - this.#memory.buffer.byteLength;
      this.#memory.grow(Math.ceil(Math.max(missing, Math.min(half, left)) / PAGE_BYTES));
    }
    this.#usedRows += 1;
    return row;
  }
}
