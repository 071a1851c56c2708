const FIRST_MS = 500;
const LONGEST_MS = 15_000;

/**
 * How long to wait before trying again after so many failures in a row, in ms: anything up to a bound that doubles
 * from 0.5 to 15 s ("full jitter"), so that those who failed together do not come back together.
 */
export function backoffMs(failures: number): number {
  return Math.random() * Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1));
}
