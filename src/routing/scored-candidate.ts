import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { Features } from './features.js';

/** A candidate with its signals and the relevance made of them. */
export interface ScoredCandidate {
  readonly indexed: IndexedCapability;
  readonly features: Features;
  readonly relevance: number;
  readonly coverage: number | null;
  /** The intent is one of its examples. */
  readonly declares: boolean;
}

/** Orders by relevance; ties by identity, so that every replica decides alike. */
export function byRelevance(a: ScoredCandidate, b: ScoredCandidate): number {
  return b.relevance - a.relevance || (a.indexed.key < b.indexed.key ? -1 : 1);
}
