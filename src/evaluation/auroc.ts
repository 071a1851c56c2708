/**
 * The area under the ROC curve: how often a positive has the higher score than a negative, of all pairs of one
 * with the other; ties count half. Null where there are no pairs. (Mann and Whitney's U by ranks.)
 */
export function auroc(positives: readonly number[], negatives: readonly number[]): number | null {
  const pairs = positives.length * negatives.length;
  if (pairs === 0) return null;
  const all = [
    ...positives.map((score) => ({ score, positive: true })),
    ...negatives.map((score) => ({ score, positive: false })),
  ].sort((a, b) => a.score - b.score);
  let wins = 0;
  let negativesBelow = 0;
  for (let start = 0; start < all.length; ) {
    const { score } = all[start] ?? { score: 0 };
    let [tiedPositives, tiedNegatives] = [0, 0];
    let end = start;
    for (; all[end]?.score === score; end += 1) {
      if (all[end]?.positive) tiedPositives += 1;
      else tiedNegatives += 1;
    }
    wins += tiedPositives * (negativesBelow + tiedNegatives / 2);
    negativesBelow += tiedNegatives;
    start = end;
  }
  return wins / pairs;
}
