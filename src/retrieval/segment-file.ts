import { hash, randomUUID } from 'node:crypto';
import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileChecksum } from '../embedding/file-checksum.js';
import { ReachError } from '../errors.js';

/** Grows when what the files hold or mean changes; a file of another format is not read. */
const FORMAT = 2;
const NAME = /^segment-[0-9a-f-]{36}\.(hnsw|json|json\.new)$/;
const SIDECAR = '.json';

/** What the vectors of a segment are, but for the vectors themselves. */
export interface SegmentIdentity {
  /** Numbers a vector. */
  readonly dim: number;
  /** Of the model that made them. */
  readonly modelHash: string;
  /** The catalogue that the segment was built from. */
  readonly catalogueVersion: number;
}

/**
 * What stands beside a saved graph, as JSON, and says whether it can be trusted. It is written last, in one
 * step: a graph without one was never finished.
 */
export interface SegmentSidecar extends SegmentIdentity {
  readonly format: typeof FORMAT;
  readonly bytes: number;
  readonly sha256: string;
  /** One entry a capability: the row of the graph in which its vector lies, and what that is (see `fingerprintOf`). */
  readonly rows: readonly number[];
  readonly fingerprints: readonly string[];
}

/** The two files of a segment. */
export class SegmentFile {
  readonly graphPath: string;
  readonly #sidecarPath: string;

  constructor(folder: string, name: string) {
    this.graphPath = join(folder, `${name}.hnsw`);
    this.#sidecarPath = join(folder, name + SIDECAR);
  }

  /** A name that no segment has had before, so that nobody ever writes into a file that is read. */
  static newName(): string {
    return `segment-${randomUUID()}`;
  }

  /** The finished segments of a folder. What else was left in it by builds that never ended is removed. */
  static async in(folder: string): Promise<SegmentFile[]> {
    const names = (await readdir(folder)).filter((name) => NAME.test(name));
    const finished = names
      .filter((name) => name.endsWith(SIDECAR))
      .map((name) => name.slice(0, -SIDECAR.length));
    const kept = new Set(finished.flatMap((name) => [`${name}.hnsw`, name + SIDECAR]));
    for (const name of names) if (!kept.has(name)) await rm(join(folder, name), { force: true });
    return finished.map((name) => new SegmentFile(folder, name));
  }

  /** Says that the graph, which is on the disk, is finished. */
  async finish(
    identity: SegmentIdentity,
    contents: Pick<SegmentSidecar, 'rows' | 'fingerprints'>,
  ): Promise<void> {
    const { size: bytes } = await stat(this.graphPath);
    const sha256 = await fileChecksum(this.graphPath);
    await this.#write({ format: FORMAT, ...identity, bytes, sha256, ...contents });
  }

  /**
   * Reads the sidecar and checks the graph against it.
   * @throws ReachError STORE_UNAVAILABLE, with one sentence, where it is damaged or of another model.
   */
  async check({ dim, modelHash }: Omit<SegmentIdentity, 'catalogueVersion'>): Promise<SegmentSidecar> {
    const sidecar = await this.#read();
    if (sidecar.dim !== dim || sidecar.modelHash !== modelHash)
      throw this.#unusable('it is of another model');
    const bytes = await stat(this.graphPath).then(
      ({ size }) => size,
      () => undefined,
    );
    if (bytes === undefined) throw this.#unusable('its graph is missing');
    const same = bytes === sidecar.bytes && (await fileChecksum(this.graphPath)) === sidecar.sha256;
    if (!same) throw this.#unusable('its graph is not the one that was written');
    return sidecar;
  }

  /** Notes that the segment is in step with a later catalogue: whatever it lacks or has too much is known. */
  async renew(catalogueVersion: number): Promise<void> {
    await this.#write({ ...(await this.#read()), catalogueVersion });
  }

  /** Removes the files; the sidecar first, so that no graph is trusted that is half removed. */
  async remove(): Promise<void> {
    await rm(this.#sidecarPath, { force: true });
    await rm(this.graphPath, { force: true });
  }

  async #read(): Promise<SegmentSidecar> {
    const text = await readFile(this.#sidecarPath, 'utf8').catch(() => '');
    const sidecar = parsed(text);
    if (!isSidecar(sidecar)) throw this.#unusable('its sidecar is damaged, or of another version');
    return sidecar;
  }

  async #write(sidecar: SegmentSidecar): Promise<void> {
    const fresh = `${this.#sidecarPath}.new`;
    const file = await open(fresh, 'w');
    try {
      await file.writeFile(JSON.stringify(sidecar));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(fresh, this.#sidecarPath);
  }

  #unusable(why: string): ReachError {
    return new ReachError('STORE_UNAVAILABLE', `The vector index ${this.graphPath} cannot be used: ${why}.`);
  }
}

/**
 * What tells a vector from all others: it is recognised by what it is, not by the number or the name of its
 * capability, which may have come to mean something else since.
 */
export function fingerprintOf(vector: Float32Array): string {
  const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  return hash('sha256', bytes, 'base64').slice(0, 22);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isSidecar(value: unknown): value is SegmentSidecar {
  if (typeof value !== 'object' || value === null) return false;
  const { format, dim, modelHash, catalogueVersion, bytes, sha256, rows, fingerprints } = value as Partial<
    Record<keyof SegmentSidecar, unknown>
  >;
  return (
    format === FORMAT &&
    [dim, catalogueVersion, bytes].every(Number.isSafeInteger) &&
    [modelHash, sha256].every((text) => typeof text === 'string') &&
    Array.isArray(rows) &&
    rows.every((row) => Number.isSafeInteger(row) && row >= 0) &&
    Array.isArray(fingerprints) &&
    fingerprints.every((text) => typeof text === 'string') &&
    fingerprints.length === rows.length
  );
}
