import { describe, ReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import type { RouteRequest } from '../wire/route.js';
import type { OpenQuestion } from './open-questions.js';

/** An intent for which somebody is to be found. */
export interface Search {
  readonly kind: 'find';
  readonly intent: string;
  readonly request: RouteRequest;
}

/** What a request asks for: to find somebody for an intent, or a named agent or capability. */
export type Ask =
  | Search
  | {
      readonly kind: 'capability';
      readonly agentName: string;
      readonly capabilityId: string;
      readonly request: RouteRequest;
    }
  | { readonly kind: 'agent'; readonly agentName: string; readonly request: RouteRequest };

function invalid(pointer: string, expected: string, received: string): ReachError {
  const errors = [{ pointer, expected, received }];
  return new ReachError('INVALID_REQUEST', `Expected ${expected}, received ${received}.`, { errors });
}

/** `agent_name/id`: agent names hold no slash, so the first one divides. */
function splitKey(key: string, pointer: string): { agentName: string; capabilityId: string } {
  const slash = key.indexOf('/');
  if (slash < 1 || slash === key.length - 1)
    throw invalid(pointer, 'agent_name/capability_id', describe(key));
  return { agentName: key.slice(0, slash), capabilityId: key.slice(slash + 1) };
}

function readIntent(text: string): string {
  const intent = text.trim();
  const length = intent.length;
  const expected = `1 to ${LIMITS.intentChars} characters after trimming`;
  if (length === 0) throw invalid('/intent', expected, 'none');
  if (length > LIMITS.intentChars) throw invalid('/intent', expected, `${length} characters`);
  return intent;
}

/**
 * What a request asks for. With `question`, the request answers a clarify: it is laid over the one that was asked.
 * @throws ReachError INVALID_REQUEST where neither an intent nor a target is named.
 */
export function readRequest(given: RouteRequest, question: OpenQuestion | undefined): Ask {
  const { routeId: _, choice, ...rest } = given;
  const request = question === undefined ? rest : { ...question.request, ...rest };
  if (choice !== undefined) {
    if (question === undefined)
      throw invalid('/choice', 'a choice only together with route_id', describe(choice));
    return { kind: 'capability', ...splitKey(choice, '/choice'), request };
  }
  if (question?.target !== undefined) return { kind: 'capability', ...question.target, request };
  const { agentName, capabilityId, intent } = request;
  if (capabilityId !== undefined) {
    if (agentName !== undefined) return { kind: 'capability', agentName, capabilityId, request };
    return { kind: 'capability', ...splitKey(capabilityId, '/capability_id'), request };
  }
  if (intent === undefined) {
    if (agentName !== undefined) return { kind: 'agent', agentName, request };
    throw invalid('/intent', 'an intent, or agent_name, or capability_id', 'none of them');
  }
  if (agentName === undefined) return { kind: 'find', intent: readIntent(intent), request };
  // An agent and an intent: the search stays within the agent.
  const filter = { ...request.filter, agents: [agentName] };
  return { kind: 'find', intent: readIntent(intent), request: { ...request, filter } };
}
