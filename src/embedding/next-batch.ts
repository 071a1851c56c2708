/**
 * Which of the waiting windows are run together, as indexes into `lengths` (tokens, oldest first). The oldest
 * is always among them; the others are those nearest to its length, as long as the padded batch stays within
 * `maxPaddedTokens`: what a batch costs is its padded size, not its number of texts.
 */
export function nextBatch(lengths: readonly number[], maxPaddedTokens: number): number[] {
  const oldest = lengths[0];
  if (oldest === undefined) return [];
  const byNearness = Array.from(lengths.entries()).sort(
    ([indexA, a], [indexB, b]) => Math.abs(a - oldest) - Math.abs(b - oldest) || indexA - indexB,
  );
  const batch: number[] = [];
  let longest = 0;
  for (const [index, length] of byNearness) {
    const padded = Math.max(longest, length) * (batch.length + 1);
    if (batch.length > 0 && padded > maxPaddedTokens) continue;
    longest = Math.max(longest, length);
    batch.push(index);
  }
  return batch;
}
