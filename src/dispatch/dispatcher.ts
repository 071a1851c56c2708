import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { CallObserver, InstanceViews } from '../health/instance-view.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import type { RequestLife } from '../requests/request-life.js';
import { type CallEnd, within } from '../running-calls.js';
import type { AgentTransport } from '../transport/agent-transport.js';
import type { Attempt, DispatchAnswer, DispatchRequest, Lane } from '../wire/dispatch.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { executeBudgetMs, seekBudgetMs } from './budgets.js';
import { carryOut } from './carry-out.js';
import { type Conclusion, concludedByAttempts, concludedByDecision, failed } from './conclusion.js';
import { payloadFor, targetOf } from './target.js';

/** Dispatches under way at once; protects the process. */
export const MAX_DISPATCHES = 10_000;
/** When a caller that found the house full may come again. */
const OVERLOADED_RETRY_MS = 1_000;

/** Decides who does it, and says for which request: the given one, or the clarified one that it completes. Its end ends the wait. */
export type Route = (
  request: RouteRequest,
  end: CallEnd,
) => Promise<{ decision: Decision; request: RouteRequest }>;

export interface DispatcherParts {
  readonly route: Route;
  readonly catalogue: () => CatalogueSnapshot;
  readonly instances: InstanceViews & CallObserver;
  readonly transport: AgentTransport;
  readonly clock: Clock;
}

interface Carried {
  readonly conclusion: Conclusion;
  readonly attempts: readonly Attempt[];
}

interface Work {
  readonly request: RouteRequest;
  readonly lane: Lane;
  readonly deadlines: DispatchRequest['deadlines'];
  readonly life: RequestLife;
}

/** Finds out who does it, and gets it done: within its budgets, with one attempt more elsewhere if one fails. */
export class Dispatcher {
  readonly #parts: DispatcherParts;
  #running = 0;
  #closing: Promise<void> | undefined;
  #drained: () => void = () => {};

  constructor(parts: DispatcherParts) {
    this.#parts = parts;
  }

  /**
   * What an agent does wrong is in the answer, not thrown.
   * @throws ReachError whatever `route` throws, PAYLOAD_INVALID, DEADLINE_EXCEEDED where the budget for routing
   * passed (then there is no decision to answer with), OVERLOADED, CLOSED.
   */
  async dispatch(request: DispatchRequest, life: RequestLife): Promise<DispatchAnswer> {
    if (this.#closing !== undefined) throw new ReachError('CLOSED', 'Agent-Reach is shutting down.');
    if (this.#running >= MAX_DISPATCHES) {
      throw new ReachError('OVERLOADED', `${MAX_DISPATCHES} dispatches are under way, no more are taken.`, {
        retryAfterMs: OVERLOADED_RETRY_MS,
      });
    }
    this.#running += 1;
    try {
      return await this.#dispatch(request, life);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#drained();
    }
  }

  /** No new work; resolves when what runs has ended, each within its deadline. */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#drained = resolve;
      if (this.#running === 0) resolve();
    });
    return this.#closing;
  }

  async #dispatch(dispatched: DispatchRequest, life: RequestLife): Promise<DispatchAnswer> {
    const { clock } = this.#parts;
    const start = clock.monotonic();
    const { requestId } = life;
    const { lane = 'P1', deadlines, ...given } = dispatched;
    life.enter('routing');
    const { decision, request } = await within(
      seekBudgetMs(lane, deadlines, life.mode),
      clock,
      (end) => this.#parts.route(given, end),
      life.signal,
    );
    const concluded = concludedByDecision(decision);
    const { conclusion, attempts } =
      concluded === undefined
        ? await this.#carry(decision, { request, lane, deadlines, life })
        : { conclusion: concluded, attempts: [] };
    return {
      requestId,
      ...conclusion,
      degraded: false,
      decision,
      attempts: [...attempts],
      waitedMs: 0,
      elapsedMs: clock.monotonic() - start,
    };
  }

  async #carry(decision: Decision, work: Work): Promise<Carried> {
    const { request, lane, deadlines, life } = work;
    const target = targetOf(decision, this.#parts.catalogue());
    if (target === undefined) {
      const detail = `${decision.targetAgent}/${decision.capabilityId} left the catalogue while it was decided on`;
      return { conclusion: failed('AGENT_UNREACHABLE', detail), attempts: [] };
    }
    const carried = await carryOut(
      {
        target,
        life,
        preferredId: decision.instanceId,
        budgetMs: executeBudgetMs(lane, deadlines, decision, target.capability),
        request: {
          requestId: life.requestId,
          intent: request.intent,
          payload: payloadFor(target, decision, request.payload ?? {}),
          lane,
          session:
            request.sessionId === undefined && request.userId === undefined
              ? undefined
              : {
                  ...(request.sessionId !== undefined && { session_id: request.sessionId }),
                  ...(request.userId !== undefined && { user_id: request.userId }),
                },
          traceparent: life.traceparent,
        },
      },
      this.#parts,
    );
    const conclusion = concludedByAttempts(carried, target.capability.id);
    return { conclusion, attempts: carried.attempts };
  }
}
