import { describe, ReachError, sentenceOf } from '../errors.js';
import { splitCapabilityKey } from '../wire/capability-key.js';
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
      /** The clarify that it answers. */
      readonly question?: OpenQuestion;
    }
  | { readonly kind: 'agent'; readonly agentName: string; readonly request: RouteRequest };

function invalid(pointer: string, expected: string, received: string): ReachError {
  const errors = [{ pointer, expected, received }];
  return new ReachError('INVALID_REQUEST', sentenceOf(errors), { errors });
}

function splitKey(key: string, pointer: string): { agentName: string; capabilityId: string } {
  const parts = splitCapabilityKey(key);
  if (parts === undefined) throw invalid(pointer, 'agent_name/capability_id', describe(key));
  return parts;
}

/** An intent without the space around it. @throws ReachError INVALID_REQUEST at `pointer` where it has no length that is allowed */
export function readIntent(text: string, pointer: string): string {
  const intent = text.trim();
  const length = intent.length;
  const expected = `1 to ${LIMITS.intentChars} characters after trimming`;
  if (length === 0) throw invalid(pointer, expected, 'none');
  if (length > LIMITS.intentChars) throw invalid(pointer, expected, `${length} characters`);
  return intent;
}

/** The request with its intent trimmed: the form that is searched with, remembered, and sent to an agent. */
function trimmed(request: RouteRequest): RouteRequest {
  const { intent } = request;
  const read = intent === undefined ? undefined : readIntent(intent, '/intent');
  return read === undefined || read === intent ? request : { ...request, intent: read };
}

function readChoice(choice: string, question: OpenQuestion | undefined) {
  if (question === undefined)
    throw invalid('/choice', 'a choice only together with route_id', describe(choice));
  const { choices } = question;
  if (!choices.includes(choice)) throw invalid('/choice', `one of ${choices.join(', ')}`, describe(choice));
  return { ...splitKey(choice, '/choice'), question };
}

/** An agent and an intent: the search stays within the agent. */
function withinAgent(agentName: string, request: RouteRequest): RouteRequest {
  const agents = request.filter?.agents?.filter((name) => name === agentName) ?? [agentName];
  return { ...request, filter: { ...request.filter, agents } };
}

/** A request without what binds it to a question; the one that was asked is completed by it. */
function completed(given: RouteRequest, question: OpenQuestion | undefined): RouteRequest {
  if (given.routeId === undefined && given.choice === undefined) return given;
  const { routeId: _, choice: __, ...rest } = given;
  return question === undefined ? rest : { ...question.request, ...rest };
}

/**
 * What a request asks for. With `question`, the request answers a clarify: it is laid over the one that was asked.
 * @throws ReachError INVALID_REQUEST where neither an intent nor a target is named, and for an intent or a choice
 * that cannot be.
 */
export function readRequest(given: RouteRequest, question: OpenQuestion | undefined): Ask {
  const { choice } = given;
  const request = trimmed(completed(given, question));
  if (choice !== undefined) return { kind: 'capability', ...readChoice(choice, question), request };
  if (question?.target !== undefined) return { kind: 'capability', ...question.target, request, question };
  const { agentName, capabilityId, intent } = request;
  if (capabilityId !== undefined) {
    if (agentName !== undefined) return { kind: 'capability', agentName, capabilityId, request };
    return { kind: 'capability', ...splitKey(capabilityId, '/capability_id'), request };
  }
  if (agentName === undefined) {
    if (intent === undefined)
      throw invalid('/intent', 'an intent, or agent_name, or capability_id', 'none of them');
    return { kind: 'find', intent, request };
  }
  if (intent === undefined) return { kind: 'agent', agentName, request };
  return { kind: 'find', intent, request: withinAgent(agentName, request) };
}
