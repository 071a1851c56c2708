import { EXIT } from './exit-codes.js';
import type { SignalSource } from './run-until-signal.js';

const STOP_SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Work that has no end of its own: SIGINT or SIGTERM ends it well. Rejects where the work fails. */
export async function untilStopped(
  signals: SignalSource,
  work: (stopped: AbortSignal) => Promise<void>,
): Promise<number> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const name of STOP_SIGNALS) signals.on(name, stop);
  try {
    await work(stopping.signal);
    return EXIT.done;
  } finally {
    for (const name of STOP_SIGNALS) signals.off(name, stop);
  }
}
