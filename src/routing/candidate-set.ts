import type { CapabilityIndex, Overlaps } from '../retrieval/capability-index.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { RouteRequest } from '../wire/route.js';
import { coverageOf, featuresOf, type IntentQuery, shapeOf } from './features.js';
import { filteredBy } from './filter.js';
import { type Group, groupsOf } from './groups.js';
import type { ScoredCandidate } from './scored-candidate.js';
import type { DecideInput } from './verdict.js';
import { relevanceOf, type Weights } from './weights.js';

/** What is known of an intent before the catalogue is looked at. */
export interface Meaning {
  readonly intent: string;
  readonly vector: Float32Array;
  readonly overlaps: Overlaps;
}

/** What a search came to. */
export interface Found {
  readonly groups: readonly Group[];
  readonly filtered: DecideInput['filtered'];
}

type Payload = RouteRequest['payload'];

/**
 * The scored candidates for an intent and a payload's shape in one catalogue. Whatever depends on the values of
 * a payload, or on who can take work now, is asked anew for each request.
 */
export class CandidateSet {
  readonly #candidates: readonly ScoredCandidate[];
  readonly #filtered: DecideInput['filtered'];
  /** Keys of the capabilities that declare the intent as an example. */
  readonly #declaring: ReadonlySet<string>;
  readonly #weights: Weights;
  /** Kept where the payload's values had no say in it. */
  #groups: readonly Group[] | undefined;

  constructor(index: CapabilityIndex, request: RouteRequest, meaning: Meaning, weights: Weights) {
    const { filter = {}, payload, explain } = request;
    const { intent, vector, overlaps } = meaning;
    const query: IntentQuery = { vector, payload: shapeOf(payload) };
    const look = (accepts: (capability: IndexedCapability) => boolean) =>
      index
        .find({ intent, vector, overlaps, fields: Object.keys(payload ?? {}), accepts })
        .map((retrieved): ScoredCandidate => {
          const features = featuresOf(retrieved, query);
          const relevance = relevanceOf(features, weights);
          return { indexed: retrieved.indexed, features, relevance, coverage: coverageOf(features, query) };
        });
    this.#weights = weights;
    this.#candidates = look((capability) => filteredBy(capability, filter) === undefined);
    this.#filtered = explain
      ? look((capability) => filteredBy(capability, filter) !== undefined).map((candidate) => ({
          candidate,
          reason: filteredBy(candidate.indexed, filter) ?? '',
        }))
      : [];
    this.#declaring = new Set(index.declaring(intent).map(({ key }) => key));
  }

  foundFor(payload: Payload): Found {
    return { groups: this.#groups ?? this.#group(payload), filtered: this.#filtered };
  }

  #group(payload: Payload): readonly Group[] {
    let valuesMatter = false;
    const accepts = ({ agent, capability }: IndexedCapability) => {
      if (payload === undefined || payload === null) return true;
      valuesMatter = true;
      return agent.validators.check(capability.id, payload).errors.length === 0;
    };
    const withPayload = shapeOf(payload) !== undefined;
    const gathered = groupsOf(this.#candidates, accepts, withPayload, this.#weights);
    const groups = declaredFirst(gathered, this.#declaring);
    if (!valuesMatter) this.#groups = groups;
    return groups;
  }
}

/** An intent that a capability declares as one of its examples is no guess: its group comes first, and is sure. */
function declaredFirst(groups: readonly Group[], declaring: ReadonlySet<string>): readonly Group[] {
  const declared = groups.filter(({ members }) => members.some(({ indexed }) => declaring.has(indexed.key)));
  const [only, second] = declared;
  if (only === undefined || second !== undefined) return groups;
  return [{ ...only, confidence: 1, declared: true }, ...groups.filter((group) => group !== only)];
}
