import { vi } from 'vitest';

const LIMIT_MS = 30_000;

/** Waits until a check holds: until it gives anything but false, and throws nothing. Fails as the last one did. */
export async function until(check: () => unknown, limitMs = LIMIT_MS): Promise<void> {
  await vi.waitFor(
    async () => {
      if ((await check()) === false) throw new Error(`this never held: ${check}`);
    },
    { timeout: limitMs, interval: 10 },
  );
}
