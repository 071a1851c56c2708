import { setPriority } from 'node:os';
import { BatchRunner } from './batch-runner.js';
import type { FromModelProcess, ToModelProcess } from './model-messages.js';
import { TextModel } from './text-model.js';

// The process that holds the model, started by ModelChild. It is one of its own because a crash in native
// code must not take the service along.

function send(message: FromModelProcess): void {
  // The only fault is a service that is gone, and 'disconnect' ends this process then.
  process.send?.(message, undefined, undefined, () => {});
}

async function load({
  path,
  description,
}: ToModelProcess & { type: 'load' }): Promise<BatchRunner | undefined> {
  try {
    const model = await TextModel.load(path, description);
    const runner = new BatchRunner(model, description.batchInvariant, send);
    send({ type: 'ready' });
    return runner;
  } catch (error) {
    send({ type: 'refused', detail: error instanceof Error ? error.message : String(error) });
    return undefined;
  }
}

/** Two models can keep two cores busy: the service, which only passes texts on, goes before them. */
const NICENESS = 5;

setPriority(NICENESS);

let runner: BatchRunner | undefined;

process.on('message', async (message: ToModelProcess) => {
  if (message.type === 'load') runner = await load(message);
  else runner?.add(message.texts);
});
process.on('disconnect', () => process.exit(0));
// A terminal sends these to the whole group; when this process ends is for the service to say.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
