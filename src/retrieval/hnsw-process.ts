import { constants, setPriority } from 'node:os';
import { HnswGraph } from './hnsw-graph.js';
import type { FromHnswProcess, ToHnswProcess } from './hnsw-messages.js';
import { fingerprintOf, SegmentFile, type SegmentIdentity } from './segment-file.js';
import { partsOf } from './vector-slices.js';

// The process that builds one segment and ends. It is one of its own because a fault of native code must not
// take the service along, and so that all the memory of building is given back.

/** The segment in the making. */
class SegmentBuild {
  readonly #identity: SegmentIdentity;
  readonly #file: SegmentFile;
  readonly #graph: HnswGraph;
  readonly #vectorCounts: number[] = [];
  readonly #fingerprints: string[] = [];

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

  take(slice: ToHnswProcess & { type: 'slice' }): void {
    const { dim } = this.#identity;
    for (const own of partsOf(slice, dim)) {
      for (let start = 0; start < own.length; start += dim) this.#graph.add(own.subarray(start, start + dim));
      this.#fingerprints.push(fingerprintOf(own));
    }
    this.#vectorCounts.push(...slice.counts);
  }

  async finish(): Promise<void> {
    await this.#graph.save(this.#file.graphPath);
    await this.#file.finish(this.#identity, {
      vectorCounts: this.#vectorCounts,
      fingerprints: this.#fingerprints,
    });
  }
}

let build: SegmentBuild | undefined;

async function obey(message: ToHnswProcess): Promise<void> {
  if (message.type === 'begin') build = await SegmentBuild.begin(message);
  else if (message.type === 'slice') build?.take(message);
  else await build?.finish();
}

function send(message: FromHnswProcess): void {
  // The only fault is a service that is gone, and 'disconnect' ends this process then.
  process.send?.(message, undefined, undefined, () => {});
}

// Nobody waits for a segment: whoever answers callers goes first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

process.on('message', async (message: ToHnswProcess) => {
  try {
    await obey(message);
    send({ type: 'done' });
  } catch (error) {
    send({ type: 'failed', detail: error instanceof Error ? error.message : String(error) });
  }
});
process.on('disconnect', () => process.exit(0));
// A terminal sends these to the whole group; when this process ends is for the service to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
