import { createHash } from 'node:crypto';
import type { ReachError } from '../errors.js';
import { remembered } from '../lru-map.js';
import { foldText } from '../retrieval/fold.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type { Decision } from '../wire/route.js';

/** What became of one request, as far as a person may have to look at it. */
export interface Occasion {
  readonly request: DispatchRequest;
  /** Null where the request was only routed. */
  readonly requestId: string | null;
  readonly traceparent: string | undefined;
  /** Undefined where it ended before that. */
  readonly decision: Decision | undefined;
  /** Undefined where it was only routed, or refused. */
  readonly answer: DispatchAnswer | undefined;
  /** What was thrown in place of an answer. */
  readonly refusal: ReachError | undefined;
}

/** What an occasion is about. */
export interface Subject {
  readonly key: string;
  /** For a sentence. */
  readonly name: string;
}

const named = (name: string): Subject => ({ key: name, name });

/** The capability that was chosen or named, else the agent, else the intent. */
export function subjectOf({ request, decision }: Occasion): Subject {
  const { agentName, capabilityId, intent = '' } = request;
  if (decision?.targetAgent && decision.capabilityId) {
    return named(capabilityKey(decision.targetAgent, decision.capabilityId));
  }
  if (capabilityId === undefined) {
    return agentName === undefined ? { key: intentKey(intent), name: 'an intent' } : named(agentName);
  }
  return named(agentName === undefined ? capabilityId : capabilityKey(agentName, capabilityId));
}

/** Equal for intents that differ in case, width and space. Of one length, since a store looks for it. Whoever is not understood asks again. */
export const intentKey = remembered(
  (intent) => `intent ${createHash('sha256').update(foldText(intent)).digest('hex').slice(0, 32)}`,
  { most: 1_000, chars: 500 },
);
