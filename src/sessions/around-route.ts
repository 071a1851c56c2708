import type { Route, RouteResult } from '../dispatch/dispatcher.js';
import type { Conversation } from '../routing/conversation.js';
import type { Routed } from '../routing/router.js';
import type { CallEnd } from '../running-calls.js';
import type { CallSession } from '../transport/agent-transport.js';
import type { RouteRequest } from '../wire/route.js';
import { sessionContentCodec } from '../wire/sessions.js';
import type { SessionState } from './session.js';
import type { Sessions } from './sessions.js';

export type RouteInConversation = (
  request: RouteRequest,
  end: CallEnd,
  conversation: Conversation,
) => Routed | Promise<Routed>;

/**
 * Routes by what is remembered of a request's session, and hands that on to whoever calls the agent. A session that
 * cannot be read in time is gone on without.
 */
export function aroundRoute(route: RouteInConversation, sessions: Sessions): Route {
  const routeInSession = async (request: RouteRequest, end: CallEnd, sessionId: string) => {
    const session = await sessions.read(sessionId).catch(() => undefined);
    const routed = await route(request, end, session === undefined ? {} : conversationOf(session));
    return {
      session: callSession(routed.request, session),
      ...routed,
      ...(session === undefined && { sessionUnavailable: true as const }),
    };
  };
  return (request, end) => {
    const { sessionId } = request;
    if (sessionId !== undefined) return routeInSession(request, end, sessionId);
    const routed = route(request, end, {});
    return routed instanceof Promise ? routed.then(withoutSession) : withoutSession(routed);
  };
}

const withoutSession = (routed: Routed): RouteResult => ({
  session: callSession(routed.request, undefined),
  ...routed,
});

function conversationOf({ intent, rounds, affinity }: SessionState): Conversation {
  const { agentName = null, capabilityId = null } = rounds.at(-1) ?? {};
  const isKnown = intent !== null && agentName !== null && capabilityId !== null;
  return {
    affinity: affinity ?? undefined,
    topic: isKnown ? { intent, agentName, capabilityId } : undefined,
  };
}

/** What an agent is told of the conversation; undefined where there is none. */
function callSession(
  { sessionId, userId }: RouteRequest,
  session: SessionState | undefined,
): CallSession | undefined {
  const user = userId ?? session?.userId ?? undefined;
  if (sessionId === undefined && user === undefined) return undefined;
  return {
    ...(sessionId !== undefined && { session_id: sessionId }),
    ...(user !== undefined && { user_id: user }),
    ...(session && remembered(session)),
  };
}

function remembered({ revision, entities, rounds, summary }: SessionState): CallSession {
  const { rounds: wireRounds = [] } = sessionContentCodec.encode({ rounds });
  return { revision, entities, rounds: wireRounds, ...(summary !== null && { summary }) };
}
