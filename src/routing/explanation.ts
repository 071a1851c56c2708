import type { Decision, RouteRequest } from '../wire/route.js';
import { decide } from './decide.js';
import { shapeOf } from './features.js';
import type { Ranked } from './groups.js';
import type { DecideInput } from './verdict.js';
import { signalWeightsOf, type Weights } from './weights.js';

/** The same decision with all that `explain` shows. */
export function explained(
  decision: Decision,
  input: DecideInput,
  found: Ranked,
  request: RouteRequest,
): Decision {
  if (input.explain) return decision;
  const verdict = decide({ ...input, explain: true });
  return { ...decision, ...verdict, ...explanationOf(request, found, input.weights) };
}

/** What relevance and confidence were made of, by name. */
export function explanationOf({ payload }: RouteRequest, { inputs }: Ranked, weights: Weights) {
  return {
    signalWeights: signalWeightsOf(weights, shapeOf(payload) !== undefined),
    ...(inputs && { confidenceInputs: inputs }),
  };
}
