import type { Clock } from '../clock.js';
import type { EndSignal } from '../end-signal.js';

/** Resolves after some time, or as soon as the signal is aborted. */
export function pause(delayMs: number, clock: Clock, signal: EndSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      stopTimer();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const stopTimer = clock.after(delayMs, end);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
}
