import type { RetrievedCapability } from '../retrieval/capability-index.js';
import type { NearestText, Similarities } from '../retrieval/capability-vectors.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { coverageOf, type Features, featuresOf, fitOf, noFeatures, type PayloadShape } from './features.js';

/** A candidate with its signals and the relevance made of them. */
export interface ScoredCandidate {
  readonly indexed: IndexedCapability;
  /** Of the main model. */
  readonly similarities: Similarities;
  /** Of its texts; undefined where it was not searched for. */
  readonly nearestText: () => NearestText | undefined;
  readonly features: Features;
  readonly relevance: number;
  readonly coverage: number | null;
  /** The intent is one of its examples. */
  readonly declares: boolean;
}

/** What a search found, scored for a payload of this shape. Its candidates are compared: one alone is scored otherwise. */
export function scoredCandidates(
  found: readonly RetrievedCapability[],
  shape: PayloadShape | undefined,
  relevanceOf: (features: Features) => number,
): ScoredCandidate[] {
  const amongEnglish = found.some(({ similarities }) => similarities.english !== undefined);
  return found.map((retrieved) => {
    const { indexed, declares, similarities, nearestText } = retrieved;
    const fit = shape && fitOf(indexed.fields, shape);
    const features = featuresOf(retrieved, fit, amongEnglish);
    return {
      indexed,
      similarities: similarities.main,
      nearestText,
      features,
      relevance: relevanceOf(features),
      coverage: coverageOf(retrieved, fit),
      declares,
    };
  });
}

/** Orders by relevance; ties by identity, so that every replica decides alike. */
export function byRelevance(a: ScoredCandidate, b: ScoredCandidate): number {
  return b.relevance - a.relevance || (a.indexed.key < b.indexed.key ? -1 : 1);
}

const NO_SIMILARITIES: Similarities = { summary: 0, centroid: 0, viewsCentroid: 0 };

/** A capability that was named, or that stands in where nothing fits. */
export function unsearched(indexed: IndexedCapability): ScoredCandidate {
  return {
    indexed,
    similarities: NO_SIMILARITIES,
    nearestText: () => undefined,
    features: noFeatures(),
    relevance: 0,
    coverage: null,
    declares: false,
  };
}
