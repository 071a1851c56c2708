import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { type Asked, confidenceInputs, confidenceOf, sharesOf, spread } from './confidence.js';
import type { ConfidenceInputs } from './confidence-inputs.js';
import type { TargetRule } from './live-rules.js';
import { byRelevance, type ScoredCandidate } from './scored-candidate.js';
import type { Weights } from './weights.js';

/** Candidates that may stand in for each other; confidence belongs to the group. */
export interface Group {
  /** The most relevant first. */
  readonly members: readonly ScoredCandidate[];
  readonly relevance: number;
  readonly confidence: number;
  /** The intent is one of its declared examples. */
  readonly declared: boolean;
  /** The rule that put it first. */
  readonly rule?: TargetRule;
}

/** Groups, the most confident first, and what the confidence in the first was made of; undefined where nothing was weighed. */
export interface Ranked {
  readonly groups: readonly Group[];
  readonly inputs: ConfidenceInputs | undefined;
}

/** Texts are compared among so many of the most relevant only: a twin of the best is never far behind it. */
const TEXTS_COMPARED = 16;
/** Near-identical summaries look alike from any intent: where the cosines to it differ by more, nothing is compared. */
const SEEN_APART = 0.03;
/** From this cosine between summaries on, two texts say the same. */
export const NEAR_IDENTICAL = 0.985;

function names(a: IndexedCapability, b: IndexedCapability): boolean {
  return a.capability.equivalentTo.includes(b.key);
}

/** Whether two capabilities may stand in for each other by what their teams declare: the same id and schema, or each the other. */
export function areDeclaredEquivalent(a: IndexedCapability, b: IndexedCapability): boolean {
  return (a.kinship !== undefined && a.kinship === b.kinship) || (names(a, b) && names(b, a));
}

/** What the candidates of one search may have in common. */
export interface Kinship {
  /** Whether a capability's schema accepts the payload. */
  accepts(capability: IndexedCapability): boolean;
  /** The cosine between the summaries of two capabilities. */
  likeness(a: IndexedCapability, b: IndexedCapability): number;
}

/** Texts that say the same look alike from the intent: a cheap look before the whole comparison. */
function sayTheSame(a: ScoredCandidate, b: ScoredCandidate, kinship: Kinship): boolean {
  if (Math.abs(a.similarities.summary - b.similarities.summary) > SEEN_APART) return false;
  return kinship.likeness(a.indexed, b.indexed) >= NEAR_IDENTICAL;
}

/**
 * Whether two candidates may stand in for each other: the same id and declared schema, each naming the other,
 * or near-identical texts where both schemas accept the payload.
 */
export function areEquivalent(a: ScoredCandidate, b: ScoredCandidate, kinship: Kinship): boolean {
  if (areDeclaredEquivalent(a.indexed, b.indexed)) return true;
  return sayTheSame(a, b, kinship) && kinship.accepts(a.indexed) && kinship.accepts(b.indexed);
}

/** Candidates in groups, each after its leader, the most relevant; a candidate joins the first leader it is equivalent to. */
function gather(
  candidates: readonly ScoredCandidate[],
  kinship: Kinship,
): [ScoredCandidate, ...ScoredCandidate[]][] {
  const groups: [ScoredCandidate, ...ScoredCandidate[]][] = [];
  for (const [rank, candidate] of [...candidates].sort(byRelevance).entries()) {
    const home = groups.find(([leader]) =>
      rank < TEXTS_COMPARED
        ? areEquivalent(leader, candidate, kinship)
        : areDeclaredEquivalent(leader.indexed, candidate.indexed),
    );
    if (home === undefined) groups.push([candidate]);
    else home.push(candidate);
  }
  return groups;
}

/** Candidates gathered into groups of equivalents, the most confident first. */
export function groupsOf(
  candidates: readonly ScoredCandidate[],
  kinship: Kinship,
  asked: Asked,
  weights: Weights,
): Ranked {
  const gathered = gather(candidates, kinship);
  if (gathered.length === 0) return { groups: [], inputs: undefined };
  const leaders = gathered.map(([leader]) => leader);
  const relevances = leaders.map(({ relevance }) => relevance);
  const shares = sharesOf(relevances, asked.withPayload, weights);
  const features = leaders.map((leader) => leader.features);
  const inputs = confidenceInputs(features, shares, asked, weights);
  const confidences = spread(confidenceOf(inputs, asked.withPayload, weights), shares, gathered.length);
  const groups = gathered.map((members, i) => ({
    members,
    relevance: members[0].relevance,
    confidence: confidences[i] ?? 0,
    declared: false,
  }));
  return { groups, inputs };
}
