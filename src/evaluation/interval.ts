/** What chance leaves open: the 95 % confidence interval of a share, or where 95 % of simulated figures lie. */
export interface Interval {
  readonly low: number;
  readonly high: number;
}

/** The 97.5 % point of the normal distribution. */
const Z = 1.959964;

/**
 * The score interval of a share that was seen in `count` trials (Wilson, *Probable Inference, the Law of Succession, and
 * Statistical Inference*, 1927); undefined where there were none. `z`: the point of the normal distribution up to which
 * it goes, by default that of the 95 % interval.
 */
export function wilsonInterval(share: number, count: number, z = Z): Interval | undefined {
  if (count === 0) return undefined;
  const scale = 1 + z ** 2 / count;
  const middle = (share + z ** 2 / (2 * count)) / scale;
  const half = (z * Math.sqrt((share * (1 - share)) / count + (z / (2 * count)) ** 2)) / scale;
  return { low: Math.max(0, middle - half), high: Math.min(1, middle + half) };
}
