import { DOT_WASM } from './dot-wasm.js';

const FLOAT_BYTES = 4;
const PAGE_BYTES = 65_536;
/** What the kernel takes in one step. */
const STEP_FLOATS = 16;
/** 4 GB, all that the kernel can address: 2.8 million vectors of 384 numbers. */
const MAX_PAGES = 65_536;
/** The first row is the query's. */
const QUERY = 0;

type Dot = (a: number, b: number, bytes: number) => number;

const kernel = new WebAssembly.Module(Buffer.from(DOT_WASM, 'base64'));

/**
 * Vectors of one length in the memory of a SIMD kernel, where they are compared without a copy. Each lies in a row
 * of its own; a row that was freed is taken again.
 */
export class VectorMemory {
  readonly #dim: number;
  readonly #rowBytes: number;
  readonly #memory = new WebAssembly.Memory({ initial: 1, maximum: MAX_PAGES });
  readonly #dot: Dot;
  readonly #freeRows: number[] = [];
  #usedRows = 0;

  constructor(dim: number) {
    this.#dim = dim;
    this.#rowBytes = Math.ceil(dim / STEP_FLOATS) * STEP_FLOATS * FLOAT_BYTES;
    const { dot } = new WebAssembly.Instance(kernel, { vectors: { memory: this.#memory } }).exports;
    this.#dot = dot as Dot;
    this.#newRow();
  }

  /** Rows that hold a vector. */
  get count(): number {
    return this.#usedRows - 1 - this.#freeRows.length;
  }

  /** Copies a vector in. @returns its row */
  add(vector: Float32Array): number {
    const row = this.#freeRows.pop() ?? this.#newRow();
    this.#at(row).set(vector);
    return row;
  }

  free(row: number): void {
    this.#freeRows.push(row);
  }

  /** A copy of the vector in a row. */
  vector(row: number): Float32Array {
    return this.#at(row).slice();
  }

  /** The vector that `similarity` compares with from now on. */
  aim(query: Float32Array): void {
    this.#at(QUERY).set(query);
  }

  /** The dot product of the query and a row: their cosine where both are of unit length. */
  similarity(row: number): number {
    return this.between(QUERY, row);
  }

  /** The dot product of two rows. */
  between(a: number, b: number): number {
    return this.#dot(a * this.#rowBytes, b * this.#rowBytes, this.#rowBytes);
  }

  #at(row: number): Float32Array {
    return new Float32Array(this.#memory.buffer, row * this.#rowBytes, this.#dim);
  }

  #newRow(): number {
    const row = this.#usedRows;
    const missing = (row + 1) * this.#rowBytes - this.#memory.buffer.byteLength;
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
