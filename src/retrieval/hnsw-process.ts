import { constants, setPriority } from 'node:os';
import { HnswGraph } from './hnsw-graph.js';
import type { FromHnswProcess, ToHnswProcess } from './hnsw-messages.js';
import { fingerprintOf, SegmentFile, type SegmentIdentity } from './segment-file.js';

// The process that builds one segment and ends. It is one of its own because a fault of native code must not
// take the service along, and so that all the memory of building is given back.

const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** The segment in the making. */
class SegmentBuild {
  readonly #identity: SegmentIdentity;
  readonly #file: SegmentFile;
  readonly #graph: HnswGraph;
  readonly #rows: number[] = [];
  readonly #fingerprints: string[] = [];
  readonly #rowOf = new Map<string, number>();

  private constructor(identity: SegmentIdentity, file: SegmentFile, graph: HnswGraph) {
    this.#identity = identity;
    this.#file = file;
    this.#graph = graph;
  }

  static async begin(message: ToHnswProcess & { type: 'begin' }): Promise<SegmentBuild> {
    const { identity, folder, name, capacity } = message;
    const graph = await HnswGraph.empty(identity.dim, capacity);
    return new SegmentBuild(identity, new SegmentFile(folder, name), graph);
  }

  /** @returns the row of each */
  take({ vectors, mayRest }: ToHnswProcess & { type: 'slice' }): readonly number[] {
    const { dim } = this.#identity;
    const rows: number[] = [];
    for (let start = 0; start < vectors.length; start += dim) {
      const startedAt = performance.now();
      rows.push(this.#place(vectors.subarray(start, start + dim)));
      if (mayRest) rest(performance.now() - startedAt);
    }
    return rows;
  }

  async finish(): Promise<void> {
    await this.#graph.save(this.#file.graphPath);
    await this.#file.finish(this.#identity, { rows: this.#rows, fingerprints: this.#fingerprints });
  }

  /**
   * Equal vectors share a row. Many that are equal would link to nothing but each other, and cut the graph:
   * what lies behind them would not be found any more.
   */
  #place(vector: Float32Array): number {
    const fingerprint = fingerprintOf(vector);
    const row = this.#rowOf.get(fingerprint) ?? this.#graph.add(vector);
    this.#rowOf.set(fingerprint, row);
    this.#rows.push(row);
    this.#fingerprints.push(fingerprint);
    return row;
  }
}

/** Nothing else is to be done in this process meanwhile. */
function rest(durationMs: number): void {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, durationMs);
}

let build: SegmentBuild | undefined;

async function obey(message: ToHnswProcess): Promise<readonly number[]> {
  if (message.type === 'slice') return build?.take(message) ?? [];
  if (message.type === 'begin') build = await SegmentBuild.begin(message);
  else await build?.finish();
  return [];
}

function send(message: FromHnswProcess): void {
  // The only fault is a service that is gone, and 'disconnect' ends this process then.
  process.send?.(message, undefined, undefined, () => {});
}

// Nobody waits for a segment: whoever answers callers goes first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('message', async (message: ToHnswProcess) => {
  try {
    send({ type: 'done', rows: await obey(message) });
  } catch (error) {
    send({ type: 'failed', detail: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
// A terminal sends these to the whole group; when this process ends is for the service to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
