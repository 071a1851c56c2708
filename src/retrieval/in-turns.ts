/** The first of each list, then the second of each, and so on, each id once: at most so many. */
export function inTurns(lists: readonly (readonly number[])[], atMost: number): number[] {
  const ids = new Set<number>();
  const longest = Math.max(...lists.map((list) => list.length));
  for (let turn = 0; turn < longest; turn += 1) {
    for (const list of lists) {
      const id = list[turn];
      if (ids.size < atMost && id !== undefined) ids.add(id);
    }
  }
  return [...ids];
}
