import type { Clock } from '../clock.js';
import type { Route } from '../dispatch/dispatcher.js';
import type { OpenedHandoff } from '../handoff/open-handoff.js';
import { within } from '../running-calls.js';
import { camelCheckOf } from '../wire/check.js';
import { type Decision, type RouteRequest, RouteRequestSchema } from '../wire/route.js';
import { type OpenCalls, refuseUnlessFit } from './open-calls.js';
import type { RequestContext } from './request-calls.js';

export type RouteOptions = Omit<RouteRequest, 'intent' | 'payload'>;

/** From an intent to a decision. */
export interface RoutingCalls {
  /**
   * Says who should do something, and why.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN, CAPABILITY_UNKNOWN, ROUTE_UNKNOWN, EMBEDDING_INTERRUPTED,
   * OVERLOADED, DEADLINE_EXCEEDED after 30 s, NOT_READY, CLOSED
   */
  route(request: RouteRequest, context?: RequestContext): Promise<Decision>;
  route(intent: string, payload?: Record<string, unknown> | null, options?: RouteOptions): Promise<Decision>;
}

interface RoutingParts {
  readonly route: Route;
  readonly handoff: OpenedHandoff;
  readonly clock: Clock;
}

/** A text of 20,000 characters takes a few seconds to embed; what takes longer than this has no model to wait for. */
const ROUTE_BUDGET_MS = 30_000;

const checkRoute = camelCheckOf(RouteRequestSchema);

/** The two forms of a route call as one: a request with what surrounds it, or an intent with payload and options. */
function routeCall(
  given: RouteRequest | string,
  second: RequestContext | Record<string, unknown> | null | undefined,
  options: RouteOptions,
): { readonly request: RouteRequest; readonly context: RequestContext } {
  if (typeof given !== 'string') return { request: given, context: second ?? {} };
  const payload = second === undefined ? {} : { payload: second as Record<string, unknown> | null };
  return { request: { ...options, intent: given, ...payload }, context: {} };
}

export function routingCalls({ route, handoff, clock }: RoutingParts, calls: OpenCalls): RoutingCalls {
  const decided = async (
    request: RouteRequest,
    { signal, traceparent }: RequestContext,
  ): Promise<Decision> => {
    const routed = await within(ROUTE_BUDGET_MS, clock, (end) => route(request, end), signal);
    const decision = await handoff.decided(routed.request, routed.decision, traceparent);
    return routed.sessionUnavailable ? { ...decision, sessionUnavailable: true } : decision;
  };

  return {
    async route(
      given: RouteRequest | string,
      second?: RequestContext | Record<string, unknown> | null,
      options: RouteOptions = {},
    ) {
      calls.refuseUnlessOpen();
      const { request, context } = routeCall(given, second, options);
      refuseUnlessFit(checkRoute, request);
      return calls.track(decided(request, context));
    },
  };
}
