import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { dot } from '../retrieval/vector-math.js';
import { byRelevance, type ScoredCandidate } from './scored-candidate.js';
import { confidenceOf, marginOf, type Weights } from './weights.js';

/** Candidates that may stand in for each other; confidence belongs to the group. */
export interface Group {
  /** The most relevant first. */
  readonly members: readonly ScoredCandidate[];
  readonly relevance: number;
  /** Relevance minus the best relevance of any other group. */
  readonly margin: number;
  readonly confidence: number;
}

/** Texts are compared among so many of the most relevant only: a twin of the best is never far behind it. */
const COMPARED = 16;
/** From this cosine between descriptions on, two texts say the same. */
const NEAR_IDENTICAL = 0.985;

function names(a: IndexedCapability, b: IndexedCapability): boolean {
  return a.capability.equivalentTo.includes(b.key);
}

/** Two teams that declare nothing do not agree on anything by that. */
function sharesSchema(a: IndexedCapability, b: IndexedCapability): boolean {
  return a.schemaText === b.schemaText && a.capability.inputSchema !== true;
}

function saysTheSame(a: IndexedCapability, b: IndexedCapability): boolean {
  return dot(a.vectors.description, b.vectors.description) >= NEAR_IDENTICAL;
}

/**
 * Whether two capabilities may stand in for each other: the same id and declared schema, each naming the other,
 * or near-identical texts where both schemas accept the payload.
 */
export function areEquivalent(
  a: IndexedCapability,
  b: IndexedCapability,
  accepts: (capability: IndexedCapability) => boolean,
): boolean {
  return areDeclaredEquivalent(a, b) || (saysTheSame(a, b) && accepts(a) && accepts(b));
}

function areDeclaredEquivalent(a: IndexedCapability, b: IndexedCapability): boolean {
  return (a.capability.id === b.capability.id && sharesSchema(a, b)) || (names(a, b) && names(b, a));
}

/**
 * Candidates gathered into groups, the most confident first. A candidate joins the first group whose leader
 * it is equivalent to.
 */
export function groupsOf(
  candidates: readonly ScoredCandidate[],
  accepts: (capability: IndexedCapability) => boolean,
  withPayload: boolean,
  weights: Weights,
): Group[] {
  const gathered: ScoredCandidate[][] = [];
  for (const [rank, candidate] of [...candidates].sort(byRelevance).entries()) {
    const home = gathered.find(([leader]) => {
      if (leader === undefined) return false;
      if (rank >= COMPARED) return areDeclaredEquivalent(leader.indexed, candidate.indexed);
      return areEquivalent(leader.indexed, candidate.indexed, accepts);
    });
    if (home === undefined) gathered.push([candidate]);
    else home.push(candidate);
  }
  const leading = gathered.flatMap(([leader]) => leader?.relevance ?? []);
  return gathered.map((members, i) => {
    const relevance = leading[i] ?? 0;
    // Groups stand in the order of their relevance, so the best other one is the first, or the second for the first.
    const margin = marginOf(relevance, leading[i === 0 ? 1 : 0], weights);
    return { members, relevance, margin, confidence: confidenceOf(relevance, margin, withPayload, weights) };
  });
}
