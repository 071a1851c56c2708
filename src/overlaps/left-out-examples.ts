import type { Embedder } from '../embedding/embedder.js';
import { type BySpace, embedIntents } from '../embedding/embedding-space.js';
import { slices } from '../manifest/slices.js';
import type { CapabilityIndex } from '../retrieval/capability-index.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import { filteredBy } from '../routing/filter.js';
import { areDeclaredEquivalent } from '../routing/groups.js';
import { byRelevance, scoredCandidates } from '../routing/scored-candidate.js';
import { relevanceUnder, type Weights } from '../routing/weights.js';
import type { CallEnd } from '../running-calls.js';

/** What intents are routed with. */
export interface RoutingParts {
  readonly index: CapabilityIndex;
  readonly embedders: BySpace<Embedder>;
  /** Those in force. */
  readonly weights: () => Weights;
}

/** What became of one example of a capability that was routed as if it were none. */
export interface LeftOutExample {
  readonly text: string;
  /** By the main model. */
  readonly vector: Float32Array;
  /** `agent_name/id` of the most relevant capability, whatever the confidence in it. */
  readonly taker: string | undefined;
}

/** Rivals of an example, besides those of its capability: so many that are nearest to it in meaning. */
const NEAREST = 8;

/** Whether intents for one capability must not reach the other: both are seen, and neither may stand in for the other. */
export function areRivals(own: IndexedCapability, other: IndexedCapability): boolean {
  return filteredBy(other, {}) === undefined && !areDeclaredEquivalent(own, other);
}

/**
 * Routes the first `atMost` examples of a capability, each as an intent without a payload, by the features and weights
 * that serve, as if the capability did not have it: among `near` and what is nearest to it in the catalogue.
 * @throws ReachError those of Embedder.embed
 */
export async function routeLeftOut(
  own: IndexedCapability,
  near: readonly IndexedCapability[],
  atMost: number,
  { index, embedders, weights }: RoutingParts,
  end: Partial<CallEnd>,
): Promise<LeftOutExample[]> {
  const examples = own.capability.examples.slice(0, atMost);
  // All are stored since the publish, but English ones of a capability that is not described in English.
  const vectors = await embedIntents(embedders, examples, {
    bulk: true,
    ...(end.signal && { signal: end.signal }),
  });
  const relevanceOf = relevanceUnder(weights(), false);
  const pause = slices();
  const routed: LeftOutExample[] = [];
  for (const [place, inSpaces] of vectors.entries()) {
    const text = examples[place] ?? '';
    const accepts = (other: IndexedCapability) => areRivals(own, other);
    const query = { intent: text, fields: [], vectors: inSpaces, accepts };
    const found = index
      .findNearest(query, NEAREST, [own, ...near])
      .map((each) => (each.indexed === own ? index.withoutExample(each, place, query) : each));
    const [best] = scoredCandidates(found, undefined, relevanceOf).sort(byRelevance);
    routed.push({ text, vector: inSpaces.main, taker: best?.indexed.key });
    await pause();
  }
  return routed;
}
