import { setTimeout } from 'node:timers/promises';

const POLL_MS = 10;
const PATIENCE_MS = 180_000;

/** Waits until the condition holds. @throws Error after three minutes: a benchmark does not wait for ever. */
export async function untilReady(condition: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('The service did not become ready in three minutes.');
    await setTimeout(POLL_MS);
  }
}
