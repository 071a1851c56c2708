import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtEntry } from '../built-entry.js';
import type { Clock } from '../clock.js';
import type { nearDuplicates } from '../evaluation/near-duplicates.js';

type Clusters = ReturnType<typeof nearDuplicates>;

/** As nearDuplicates, on a thread of its own; null where it does not come to an end within `budgetMs`. */
export async function nearDuplicatesBeside(
  texts: readonly string[],
  budgetMs: number,
  clock: Clock,
): Promise<Clusters | null> {
  const worker = new Worker(builtEntry('labels/near-duplicates-worker.js'), {
    workerData: texts,
    // Not the service's own Node flags: a loader is not for this thread.
    execArgv: [],
  });
  const stopTimer = clock.after(budgetMs, () => void worker.terminate());
  try {
    const told = once(worker, 'message').then(([clusters]) => clusters as Clusters);
    return await Promise.race([told, once(worker, 'exit').then(() => null)]);
  } finally {
    stopTimer();
    await worker.terminate();
  }
}
