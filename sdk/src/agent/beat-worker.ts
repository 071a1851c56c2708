import { parentPort, workerData } from 'node:worker_threads';
import type { BeatMessage, BeatRequest, BeatThreadData } from './beat-messages.js';
import { cpuLoad } from './cpu-load.js';
import { Membership } from './membership.js';

// The thread that beats for an agent, whatever the agent's own thread is doing.

const { setup, pending: shared } = workerData as BeatThreadData;
const pending = new Int32Array(shared);
const load = cpuLoad();
const tell = (message: BeatMessage) => parentPort?.postMessage(message);

const membership = new Membership(setup, {
  measured: () => ({ pending: Atomics.load(pending, 0), load: load() }),
  onState: (state) => tell({ kind: 'state', state }),
  onLog: (level, message) => tell({ kind: 'log', level, message }),
});

parentPort?.on('message', async (request: BeatRequest) => {
  await membership[request]();
  tell({ kind: 'done', request });
  if (request === 'leave') parentPort?.close();
});

await membership.run();
