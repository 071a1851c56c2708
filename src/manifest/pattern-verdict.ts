import { automatonOf } from './pattern-automaton.js';
import type { PatternFlags } from './pattern-letters.js';
import { hasFewPaths, type Search } from './pattern-paths.js';
import { type PatternNode, patternTree } from './pattern-tree.js';
import { PatternTooComplex, type PatternWork } from './pattern-work.js';

/**
 * `slow`: some text can be read in more and more ways as it grows, all of which are tried where it does not match
 * in the end. `undecided`: that could not be ruled out. `invalid`: no regular expression (with the flag `u`).
 */
export type PatternVerdict = 'linear' | 'slow' | 'undecided' | 'invalid';

/** What is wanted in place of a pattern that is not linear. */
export const EXPECTED_PATTERN: Readonly<Record<Exclude<PatternVerdict, 'linear'>, string>> = {
  slow: 'a pattern that reads every text in few ways, so that it takes linear time',
  undecided: 'a pattern, without back references, that is simple enough to show that it takes linear time',
  invalid: 'a regular expression (ECMAScript, with the flag u)',
};

/** What one pattern may cost to check: a few milliseconds. */
export const STEPS_A_PATTERN = 100_000;
/** Characters that may be looked for at every place of a text. */
const MAX_ROW = 32;

function isRegularExpression(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}

function itemsOf(node: PatternNode): readonly PatternNode[] {
  return node.kind === 'sequence' ? node.items : [node];
}

function childrenOf(node: PatternNode): readonly PatternNode[] {
  switch (node.kind) {
    case 'sequence':
      return node.items;
    case 'choice':
      return node.branches;
    case 'repeat':
      return [node.item];
    default:
      return [];
  }
}

/** The pattern and everything in it, but for what stands in lookarounds. */
function partsOf(pattern: PatternNode): readonly PatternNode[] {
  const parts = [pattern];
  for (const part of parts) parts.push(...childrenOf(part));
  return parts;
}

function isAnchored(pattern: PatternNode): boolean {
  if (pattern.kind === 'choice') return pattern.branches.every(isAnchored);
  const [first] = itemsOf(pattern);
  return first?.kind === 'assertion' && first.source === '^';
}

/** A short row of characters takes no time worth speaking of, wherever it is looked for. */
function isRow(node: PatternNode): boolean {
  const items = itemsOf(node);
  return items.length <= MAX_ROW && items.every(({ kind }) => kind === 'character' || kind === 'assertion');
}

/** What stands at the start of a pattern of the form `^(?=...)(?!...)`, and is tried there once. */
function leadingLookaheads(pattern: PatternNode): readonly PatternNode[] {
  if (!isAnchored(pattern)) return [];
  const items = itemsOf(pattern).slice(1);
  const end = items.findIndex((item) => item.kind !== 'lookaround' || !item.isAhead);
  return end === -1 ? items : items.slice(0, end);
}

function isLinear(pattern: PatternNode, search: Search, flags: PatternFlags, work: PatternWork): boolean {
  const leading = leadingLookaheads(pattern);
  for (const part of partsOf(pattern)) {
    if (part.kind !== 'lookaround') continue;
    if (leading.includes(part)) {
      if (!isLinear(part.body, 'at the start', flags, work)) return false;
    } else if (!isRow(part.body)) {
      throw new PatternTooComplex();
    }
  }
  return hasFewPaths(automatonOf(pattern, work), search, flags, work);
}

function searchOf(pattern: PatternNode): Search {
  if (isAnchored(pattern)) return 'at the start';
  const mayFailAtTheEnd = partsOf(pattern).some(({ kind }) => kind === 'assertion' || kind === 'lookaround');
  return mayFailAtTheEnd ? 'anywhere' : 'until a match';
}

/** Whether a regular expression takes linear time on every text. Never throws. */
export function patternVerdict(source: string, work: PatternWork, flags: PatternFlags = 'u'): PatternVerdict {
  if (!isRegularExpression(source)) return 'invalid';
  const pattern = patternTree(source);
  if (pattern === undefined) return 'undecided';
  try {
    const linear = work.within(STEPS_A_PATTERN, (part) => isLinear(pattern, searchOf(pattern), flags, part));
    return linear ? 'linear' : 'slow';
  } catch (thrown) {
    if (thrown instanceof PatternTooComplex) return 'undecided';
    throw thrown;
  }
}
