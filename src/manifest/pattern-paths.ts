import type { PatternAutomaton, Ways } from './pattern-automaton.js';
import { lettersOf, type PatternFlags } from './pattern-letters.js';
import type { PatternWork } from './pattern-work.js';

/** Where a pattern is tried: at the start of a text only, or at every place, in vain or up to the first match. */
export type Search = 'at the start' | 'anywhere' | 'until a match';

/** In so many ways a text may be read, however long it is. */
const MAX_PATHS = 64;
/** The place before a text. */
const START = -1;

const sumOf = (ways: Ways) => [...ways.values()].reduce((sum, count) => sum + count, 0);

/** Ways between two places that read nothing, all of which are tried each time. */
function hasManyShortcuts({ first, next, last, empty }: PatternAutomaton): boolean {
  return (
    empty > MAX_PATHS || [first, last, ...next].some((ways) => Math.max(0, ...ways.values()) > MAX_PATHS)
  );
}

/**
 * Whether few paths lead through a pattern, whatever the text. Backtracking tries each path that a text begins
 * with at most once, so with few of them it takes linear time. Letter by letter it is followed in how many ways
 * each place can be reached, until no combination comes up that is new.
 * @throws PatternTooComplex where there are too many combinations
 */
export function hasFewPaths(
  automaton: PatternAutomaton,
  search: Search,
  flags: PatternFlags,
  work: PatternWork,
): boolean {
  if (hasManyShortcuts(automaton)) return false;
  const { sources, first, next, last, empty } = automaton;
  const lettersBySource = lettersOf([...new Set(sources)], flags, work);
  const lettersAt = (place: number) => lettersBySource.get(sources[place] ?? '') ?? new Set<number>();
  const nextOf = (place: number): Ways => (place === START ? first : next[place]) ?? new Map();
  const mayEnd = (place: number) => (place === START ? empty > 0 : last.has(place));

  const after = (reached: Ways, letter: number): Ways => {
    const ways = new Map<number, number>();
    for (const [place, count] of reached) {
      work.spend(nextOf(place).size);
      for (const [follower, times] of nextOf(place)) {
        if (!lettersAt(follower).has(letter)) continue;
        ways.set(follower, (ways.get(follower) ?? 0) + count * times);
      }
    }
    const isTriedHere =
      search === 'anywhere' || (search === 'until a match' && ![...reached.keys()].some(mayEnd));
    return isTriedHere && reached.has(START) ? ways.set(START, 1) : ways;
  };

  const readable = (reached: Ways): ReadonlySet<number> => {
    const letters = new Set<number>();
    for (const place of reached.keys()) {
      for (const follower of nextOf(place).keys()) {
        work.spend(lettersAt(follower).size);
        for (const letter of lettersAt(follower)) letters.add(letter);
      }
    }
    return letters;
  };

  const known = new Set<string>();
  const open: Ways[] = [new Map([[START, 1]])];
  for (let reached = open.pop(); reached !== undefined; reached = open.pop()) {
    for (const letter of readable(reached)) {
      const ways = after(reached, letter);
      if (sumOf(ways) > MAX_PATHS) return false;
      const key = [...ways].sort(([a], [b]) => a - b).join(' ');
      if (!known.has(key)) open.push(ways);
      known.add(key);
    }
  }
  return true;
}
