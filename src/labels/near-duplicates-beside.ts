import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { builtEntry } from '../built-entry.js';
import type { Clock } from '../clock.js';
import type { nearDuplicates } from '../evaluation/near-duplicates.js';

type Clusters = ReturnType<typeof nearDuplicates>;

/**
 * As nearDuplicates, on a thread of its own; null where it does not come to an end within `budgetMs`.
 * @throws the reason of `end`
 */
export async function nearDuplicatesBeside(
  texts: readonly string[],
  budgetMs: number,
  clock: Clock,
  end: AbortSignal,
): Promise<Clusters | null> {
  end.throwIfAborted();
  const worker = new Worker(builtEntry('labels/near-duplicates-worker.js'), {
    workerData: texts,
    // Not the service's own Node flags: a loader is not for this thread.
    execArgv: [],
  });
  const terminate = () => void worker.terminate();
  const stopTimer = clock.after(budgetMs, terminate);
  end.addEventListener('abort', terminate);
  try {
    const told = once(worker, 'message').then(([clusters]) => clusters as Clusters);
    const clusters = await Promise.race([told, once(worker, 'exit').then(() => null)]);
    end.throwIfAborted();
    return clusters;
  } finally {
    stopTimer();
    end.removeEventListener('abort', terminate);
    await worker.terminate();
  }
}
