import type { CandidateQuery, CapabilityIndex } from '../retrieval/capability-index.js';
import type { Clues } from '../retrieval/clues.js';
import type { RouteRequest } from '../wire/route.js';
import { groupsNeeded } from './decide.js';
import { shapeOf } from './features.js';
import { filteredBy } from './filter.js';
import { groupsOf, type Kinship, type Ranked } from './groups.js';
import { type ScoredCandidate, scoredCandidates } from './scored-candidate.js';
import type { DecideInput } from './verdict.js';
import { relevanceUnder, type Weights } from './weights.js';

/** What is known of a request before the catalogue is searched; `accepts`: those that its filter lets through. */
export interface Meaning extends CandidateQuery {
  readonly clues: Clues;
}

/** What a search came to. */
export interface Found extends Ranked {
  readonly filtered: DecideInput['filtered'];
}

type Payload = RouteRequest['payload'];

/**
 * The scored candidates for an intent and a payload's shape in one catalogue. Whatever depends on the values of
 * a payload, or on who can take work now, is asked anew for each request.
 */
export class CandidateSet {
  /** Empty once they are ranked for good. */
  #candidates: readonly ScoredCandidate[];
  readonly #filtered: DecideInput['filtered'];
  readonly #index: CapabilityIndex;
  readonly #weights: Weights;
  readonly #otherLanguage: number;
  readonly #groupsNeeded: number;
  /** Kept where the payload's values had no say in it. */
  #ranked: Ranked | undefined;

  constructor(index: CapabilityIndex, request: RouteRequest, meaning: Meaning, weights: Weights) {
    const { filter = {}, payload, explain } = request;
    const shape = shapeOf(payload);
    const relevanceOf = relevanceUnder(weights, shape !== undefined);
    const look = (query: CandidateQuery) => scoredCandidates(index.find(query), shape, relevanceOf);
    this.#index = index;
    this.#weights = weights;
    this.#groupsNeeded = groupsNeeded(request, weights);
    this.#candidates = look(meaning);
    this.#otherLanguage = shareInOtherLanguage(this.#candidates, meaning.clues.isEnglish);
    this.#filtered = explain
      ? look({ ...meaning, accepts: (capability) => !meaning.accepts(capability) }).map((candidate) => ({
          candidate,
          reason: filteredBy(candidate.indexed, filter) ?? '',
        }))
      : [];
  }

  foundFor(payload: Payload): Found {
    const { groups, inputs } = this.#ranked ?? this.#rank(payload);
    return { groups, inputs, filtered: this.#filtered };
  }

  #rank(payload: Payload): Ranked {
    let valuesMatter = false;
    const kinship: Kinship = {
      accepts: ({ agent, capability }) => {
        if (payload === undefined || payload === null) return true;
        valuesMatter = true;
        return agent.validators.check(capability.id, payload).errors.length === 0;
      },
      likeness: (a, b) => this.#index.likeness(a, b),
    };
    const asked = {
      withPayload: shapeOf(payload) !== undefined,
      otherLanguage: this.#otherLanguage,
    };
    const { groups, inputs } = declaredFirst(groupsOf(this.#candidates, kinship, asked, this.#weights));
    const ranked = { groups: groups.slice(0, this.#groupsNeeded), inputs };
    if (valuesMatter) return ranked;
    // A cache full of candidates that nobody is told of would be what most of the memory goes into.
    this.#ranked = ranked;
    this.#candidates = [];
    return ranked;
  }
}

function shareInOtherLanguage(candidates: readonly ScoredCandidate[], isEnglish: boolean): number {
  const others = candidates.filter(({ indexed }) => indexed.isEnglish !== isEnglish);
  return others.length / Math.max(1, candidates.length);
}

/**
 * An intent that only one group declares as one of its examples is no guess: that group comes first and is sure, and
 * nothing has to be weighed for it.
 */
function declaredFirst(ranked: Ranked): Ranked {
  const declared = ranked.groups.filter(({ members }) => members.some(({ declares }) => declares));
  const [only, second] = declared;
  if (only === undefined || second !== undefined) return ranked;
  const others = ranked.groups.filter((group) => group !== only);
  return {
    groups: [
      { ...only, confidence: 1, declared: true },
      ...others.map((group) => ({ ...group, confidence: 0 })),
    ],
    inputs: undefined,
  };
}
