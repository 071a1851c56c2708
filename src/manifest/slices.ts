import { setImmediate } from 'node:timers/promises';

/** Less than a route takes that has to look for its candidates: whoever waits hardly notices. */
const SLICE_MS = 0.5;

/**
 * Long work in slices: awaited between its steps, the returned function lets everything else have a turn as
 * soon as the work has held the event loop for a slice.
 */
export function slices(): () => Promise<void> {
  let since = performance.now();
  return async () => {
    if (performance.now() - since < SLICE_MS) return;
    await setImmediate();
    since = performance.now();
  };
}
