import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { Decision } from '../wire/route.js';
import type { Group } from './groups.js';
import type { RuledRequest } from './live-rules.js';
import type { ScoredCandidate } from './scored-candidate.js';
import type { UtilityContext } from './utility.js';
import type { Weights } from './weights.js';

/** Everything that a decision depends on. No clock, no I/O: the same input gives the same decision. */
export interface DecideInput {
  /** The most confident first. */
  readonly groups: readonly Group[];
  readonly filtered: readonly { readonly candidate: ScoredCandidate; readonly reason: string }[];
  /** Whether a payload came with the request, empty or not. */
  readonly payloadSent: boolean;
  /** Pointers of required fields that the payload lacks. */
  readonly missingOf: (capability: IndexedCapability) => readonly string[];
  readonly threshold: { readonly request: number | undefined; readonly global: number | null };
  readonly rules: RuledRequest;
  /** The agent for intents of too low confidence, where the configuration names one and it exists. */
  readonly fallback: ScoredCandidate | undefined;
  readonly topK: number;
  readonly explain: boolean;
  readonly utility: UtilityContext;
  readonly weights: Weights;
}

/** A decision without what only the walk around it knows: its id, times and versions. */
export type Verdict = Omit<
  Decision,
  | 'routeId'
  | 'timingMs'
  | 'catalogueVersion'
  | 'weightsVersion'
  | 'signalWeights'
  | 'confidenceInputs'
  | 'model'
  | 'candidates'
>;
export type DecidedRoute = Verdict & Pick<Decision, 'candidates'>;
