import { type Clock, systemClock } from '../clock.js';

/** Something started that runs until it is closed. */
export interface Running {
  /** Where it can be reached, as a URL. */
  readonly address: string;
  /** Takes no new work and resolves when the running work has ended. */
  close(): Promise<void>;
}

const STOP_SIGNALS = { SIGINT: 2, SIGTERM: 15 } as const;
type StopSignal = keyof typeof STOP_SIGNALS;

/** Where signals come from: `process`. */
export interface SignalSource {
  on(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
  off(signal: StopSignal, listener: (signal: StopSignal) => void): unknown;
}

interface Watchers {
  onStarted(running: Running): void;
  /** The first signal came; a second one will not wait. */
  onStopping(): void;
}

/** A key press reaches us from the terminal and again from npm, which passes it on: that is one signal. */
const ECHO_MS = 1_000;

/**
 * Starts something and lets it run until SIGINT or SIGTERM. Resolves with the exit code: 0 when the first
 * signal closed it in good order (one that comes during the start ends the start), 128 + the signal's
 * number at once on a later second signal, whatever is still running. Rejects where the start or the close fails.
 */
export async function runUntilSignal(
  start: (signal: AbortSignal) => Promise<Running>,
  signals: SignalSource,
  { onStarted, onStopping }: Watchers,
  clock: Pick<Clock, 'monotonic'> = systemClock,
): Promise<number> {
  let stop = () => {};
  let endNow = (_code: number) => {};
  const stopped = new Promise<void>((resolve) => {
    stop = resolve;
  });
  const endedNow = new Promise<number>((resolve) => {
    endNow = resolve;
  });

  const stopping = new AbortController();
  let stoppingSince: number | undefined;
  const listener = (signal: StopSignal) => {
    if (stoppingSince !== undefined) {
      if (clock.monotonic() - stoppingSince >= ECHO_MS) endNow(128 + STOP_SIGNALS[signal]);
      return;
    }
    stoppingSince = clock.monotonic();
    onStopping();
    stop();
    stopping.abort();
  };
  const inGoodOrder = async () => {
    const running = await start(stopping.signal).catch((error: unknown) => {
      // A start that was told to end has nothing to say.
      if (stopping.signal.aborted) return undefined;
      throw error;
    });
    if (running === undefined) return 0;
    if (stoppingSince === undefined) onStarted(running);
    await stopped;
    await running.close();
    return 0;
  };

  const names = Object.keys(STOP_SIGNALS) as StopSignal[];
  for (const name of names) signals.on(name, listener);
  try {
    return await Promise.race([inGoodOrder(), endedNow]);
  } finally {
    for (const name of names) signals.off(name, listener);
  }
}
