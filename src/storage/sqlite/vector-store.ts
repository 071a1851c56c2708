import { setImmediate } from 'node:timers/promises';
import type { VectorStore } from '../../embedding/embedder.js';
import { decodeFloat32, encodeFloat32 } from '../float32-blob.js';
import type { SqliteFile } from './sqlite-file.js';

/** How many vectors are read before other work of the thread has its turn: a few ms of reading. */
const CHUNK = 256;

interface VectorRow {
  readonly text_hash: string;
  readonly vector: Uint8Array;
}

/** Vectors in a SQLite file. Those that no manifest uses any more stay in it. */
export class SqliteVectorStore implements VectorStore {
  readonly #file: SqliteFile;
  readonly #select;
  readonly #insert;

  constructor(file: SqliteFile) {
    this.#file = file;
    this.#select = file.prepare(`
      SELECT text_hash, vector FROM vectors
      WHERE model_hash = ? AND text_hash IN (SELECT value FROM json_each(?))`);
    this.#insert = file.prepare(`
      INSERT INTO vectors (model_hash, text_hash, vector) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET vector = excluded.vector`);
  }

  async getMany(modelHash: string, textHashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    for (let start = 0; start < textHashes.length; start += CHUNK) {
      if (start > 0) await setImmediate();
      const wanted = JSON.stringify(textHashes.slice(start, start + CHUNK));
      const rows = this.#file.read(() => this.#select.all(modelHash, wanted) as VectorRow[]);
      for (const row of rows) found.set(row.text_hash, decodeFloat32(row.vector));
    }
    return found;
  }

  async putMany(modelHash: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    this.#file.soon(() => {
      for (const [textHash, vector] of vectors) this.#insert.run(modelHash, textHash, encodeFloat32(vector));
    });
  }
}
