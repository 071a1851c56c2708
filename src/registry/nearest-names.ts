/** Names that differ by more edits than this are not what somebody meant. */
const MAX_EDITS = 2;
const SHOWN = 3;

/** The sentence part that helps with a name that is not there: the nearest ones, or nothing. */
export function didYouMean(name: string, names: Iterable<string>): string {
  const near: { name: string; edits: number }[] = [];
  for (const other of names) {
    const edits = editsWithin(name, other, MAX_EDITS);
    if (edits !== undefined) near.push({ name: other, edits });
  }
  if (near.length === 0) return '';
  near.sort((a, b) => a.edits - b.edits || (a.name < b.name ? -1 : 1));
  return orOf(near.map((entry) => entry.name));
}

/** The same of names that are known to be near, the nearest first. */
export function orOf(names: readonly string[]): string {
  return ` Did you mean ${names.slice(0, SHOWN).join(' or ')}?`;
}

/** Levenshtein's distance of two texts, or undefined where it is over `max`: then most cells are never computed. */
function editsWithin(a: string, b: string, max: number): number | undefined {
  if (Math.abs(a.length - b.length) > max) return undefined;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(max + 1);
    if (i <= max) next[0] = i;
    let least = next[0] ?? max + 1;
    for (let j = Math.max(1, i - max); j <= Math.min(b.length, i + max); j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const cell = Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1);
      next[j] = cell;
      least = Math.min(least, cell);
    }
    if (least > max) return undefined;
    row = next;
  }
  const edits = row[b.length] ?? max + 1;
  return edits <= max ? edits : undefined;
}
