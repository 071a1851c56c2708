/**
 * Dot product of two vectors of equal length; the cosine where both are unit vectors. Four sums keep the FPU busy.
 * For a few vectors that lie anywhere; many are compared in a `VectorMemory`.
 */
export function dot(a: Float32Array, b: Float32Array): number {
  const length = a.length;
  let s0 = 0;
  let s1 = 0;
  let s2 = 0;
  let s3 = 0;
  let i = 0;
  for (; i + 3 < length; i += 4) {
    s0 += (a[i] as number) * (b[i] as number);
    s1 += (a[i + 1] as number) * (b[i + 1] as number);
    s2 += (a[i + 2] as number) * (b[i + 2] as number);
    s3 += (a[i + 3] as number) * (b[i + 3] as number);
  }
  for (; i < length; i += 1) s0 += (a[i] as number) * (b[i] as number);
  return s0 + s1 + s2 + s3;
}

/** A sum of vectors as its direction, of unit length, and its length. */
export interface VectorSum {
  readonly direction: Float32Array;
  readonly length: number;
}

/** The weighted sum of vectors, at least one. */
export function weightedSum(
  parts: readonly { readonly vector: Float32Array; readonly times: number }[],
): VectorSum {
  const sum = new Float64Array(parts[0]?.vector.length ?? 0);
  for (const { vector, times } of parts)
    for (let i = 0; i < sum.length; i += 1) sum[i] = (sum[i] as number) + times * (vector[i] as number);
  const length = Math.hypot(...sum) || 1;
  return { direction: Float32Array.from(sum, (value) => value / length), length };
}

/** Whether this is a vector of `dim` finite numbers: all that may be compared or kept. */
export function isVector(vector: ArrayLike<unknown>, dim: number): boolean {
  if (vector.length !== dim) return false;
  for (let i = 0; i < dim; i += 1) if (!Number.isFinite(vector[i])) return false;
  return true;
}
