/** A tenth is fine enough, and keeps what is calm from looking as if it moved. */
const STEPS = 10;

/**
 * A measure of the load: each call tells what share of one core the whole process has used since the call before,
 * 0..1 in tenths. It holds also while a handler blocks the agent's own thread.
 */
export function cpuLoad(): () => number {
  let before = { at: performance.now(), usage: process.cpuUsage() };
  return () => {
    const now = { at: performance.now(), usage: process.cpuUsage() };
    const usedMs = (now.usage.user + now.usage.system - before.usage.user - before.usage.system) / 1_000;
    const share = usedMs / Math.max(1, now.at - before.at);
    before = now;
    return Math.round(Math.min(1, share) * STEPS) / STEPS;
  };
}
