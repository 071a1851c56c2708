import type { Clock } from '../clock.js';
import type { Shares } from '../cluster/shares.js';
import { ReachError } from '../errors.js';
import type { CallObserver, InstanceViews } from '../health/instance-view.js';
import type { CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import { type Conclusion, failed } from '../requests/conclusion.js';
import type { Delivery, RequestLife } from '../requests/request-life.js';
import type { InstanceChoice } from '../routing/instance-choice.js';
import type { Routed } from '../routing/router.js';
import { type CallEnd, within } from '../running-calls.js';
import type { LaneSizes } from '../settings.js';
import type { AgentTransport, CallSession } from '../transport/agent-transport.js';
import { capabilityKey } from '../wire/capability-key.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type { Queues } from '../wire/requests.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { seekBudgetMs } from './budgets.js';
import { type CarriedOut, carryOut } from './carry-out.js';
import { concludedByAttempts, concludedByDecision } from './conclusion.js';
import { degraded } from './degrade.js';
import { Lanes } from './lanes.js';
import { LastGood } from './last-good.js';
import { RetryBudget } from './retry-budget.js';
import { type Target, targetOf } from './target.js';
import type { WorkParts } from './work.js';

/** Dispatches under way at once; protects the process. */
export const MAX_DISPATCHES = 10_000;
/** When a caller that found the house full may come again. */
const OVERLOADED_RETRY_MS = 1_000;

/** A decision, with what the agent is told of the conversation. */
export interface RouteResult extends Routed {
  readonly session: CallSession | undefined;
  /** The session could not be read. */
  readonly sessionUnavailable?: true;
}

/** Decides who does it, at once where it need not wait for anything. Its end ends the wait. */
export type Route = (request: RouteRequest, end: CallEnd) => RouteResult | Promise<RouteResult>;

export interface DispatcherParts {
  readonly route: Route;
  readonly catalogue: () => CatalogueSnapshot;
  readonly instances: InstanceViews & CallObserver;
  readonly choice: InstanceChoice;
  readonly lanes: LaneSizes;
  readonly transport: AgentTransport;
  readonly clock: Clock;
  /** By default all is ours. */
  readonly shares?: Shares;
  /** 0..1; by default by chance. */
  readonly random?: () => number;
}

/** How far a dispatch came. */
type Outcome = Pick<CarriedOut, 'attempts' | 'waitedMs'> & { readonly conclusion: Conclusion };

const withoutAttempt = (conclusion: Conclusion): Outcome => ({ conclusion, attempts: [], waitedMs: 0 });

/** Finds out who does it, and gets it done: within its budgets, elsewhere if it fails, with a slot where it is done. */
export class Dispatcher implements CatalogueFollower {
  readonly #parts: DispatcherParts;
  readonly #work: WorkParts;
  readonly #lanes: Lanes;
  readonly #lastGood: LastGood;
  #running = 0;
  #closing: Promise<void> | undefined;
  #drained: () => void = () => {};

  constructor(parts: DispatcherParts) {
    const { lanes: sizes, instances, catalogue, clock, shares, random = Math.random } = parts;
    this.#parts = parts;
    const manifestOf = (agentName: string) => catalogue().agents.get(agentName)?.manifest;
    this.#lanes = new Lanes({ sizes, instances, manifestOf, clock, shares });
    this.#lastGood = new LastGood(clock);
    this.#work = { ...parts, random, lanes: this.#lanes, budget: new RetryBudget() };
  }

  /**
   * What an agent does wrong is in the answer, not thrown.
   * @throws ReachError whatever `route` throws, PAYLOAD_INVALID, DEADLINE_EXCEEDED where the budget for routing
   * passed (then there is no decision to answer with), OVERLOADED, STORE_UNAVAILABLE, CLOSED.
   */
  dispatch(request: DispatchRequest, life: RequestLife): Promise<DispatchAnswer> {
    if (this.#closing !== undefined)
      return Promise.reject(new ReachError('CLOSED', 'Agent-Reach is shutting down.'));
    if (this.#running >= MAX_DISPATCHES) {
      const detail = `${MAX_DISPATCHES} dispatches are under way, no more are taken.`;
      return Promise.reject(new ReachError('OVERLOADED', detail, { retryAfterMs: OVERLOADED_RETRY_MS }));
    }
    this.#running += 1;
    return this.#dispatch(request, life);
  }

  async prepare(): Promise<void> {}

  /** What waits for a published agent may begin now, or at another rate; for one that is removed, never. */
  apply(_: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    for (const { agent } of changes) this.#lanes.wake(agent.manifest.agentName);
  }

  /** Something changed with an instance of this agent. */
  instanceChanged(agentName: string): void {
    this.#lanes.wake(agentName);
  }

  /** Tells an agent that work which it took for later is no longer wanted, where it is still there. */
  withdraw(requestId: string, { agentName, instanceId }: Pick<Delivery, 'agentName' | 'instanceId'>): void {
    const { catalogue, instances, transport } = this.#parts;
    const auth = catalogue().agents.get(agentName)?.manifest.auth;
    const view = instances.instancesOf(agentName).find((each) => each.instanceId === instanceId);
    if (auth === undefined || view === undefined) return;
    void transport.cancel({ address: view.address, auth, requestId });
  }

  /** Who has what under way and waiting. */
  queues(): Queues['agents'] {
    return this.#lanes.view();
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
    try {
      const { clock } = this.#parts;
      const start = clock.monotonic();
      const { lane = 'P1', deadlines } = dispatched;
      const seekUntil = life.acceptedAt + seekBudgetMs(lane, deadlines, life.mode);
      life.enter('routing');
      const routing = this.#routed(dispatched, life, seekUntil - start);
      const routed = routing instanceof Promise ? await routing : routing;
      if (routed === 'cancelled') {
        throwIfLeft(life);
        const { requestId } = life;
        const elapsedMs = clock.monotonic() - start;
        const untold = { decision: null, attempts: [], waitedMs: 0 };
        return { requestId, elapsedMs, state: 'cancelled', degraded: false, ...untold };
      }
      const { decision } = routed;
      const target = targetOf(decision.targetAgent, decision.capabilityId, this.#parts.catalogue());
      const concluded = concludedByDecision(decision);
      let outcome: Outcome;
      if (concluded !== undefined) outcome = withoutAttempt(concluded);
      else if (target === undefined) outcome = withoutAttempt(goneSince(decision));
      else
        outcome = this.#outcomeOf(await this.#carryOut(dispatched, routed, target, seekUntil, life), target);
      return this.#answer(routed, target, outcome, start, life);
    } finally {
      this.#running -= 1;
      if (this.#running === 0) this.#drained();
    }
  }

  #answer(
    { decision, degrade, request, sessionUnavailable }: RouteResult,
    target: Target | undefined,
    { conclusion, attempts, waitedMs }: Outcome,
    start: number,
    life: RequestLife,
  ): DispatchAnswer {
    if (conclusion.state === 'cancelled') throwIfLeft(life);
    const standIn = degraded(
      conclusion,
      {
        degrade: degrade ?? target?.capability.degrade,
        capability: capabilityKey(decision.targetAgent ?? '', decision.capabilityId ?? ''),
        request,
      },
      this.#lastGood,
    );
    const ended = standIn ?? conclusion;
    refuseIfFull(ended, attempts.length);
    return {
      requestId: life.requestId,
      elapsedMs: this.#parts.clock.monotonic() - start,
      decision,
      attempts: [...attempts],
      waitedMs,
      degraded: standIn !== undefined,
      ...ended,
      ...(sessionUnavailable && { sessionUnavailable }),
    };
  }

  #routed(
    dispatched: DispatchRequest,
    { signal }: RequestLife,
    budgetMs: number,
  ): RouteResult | Promise<RouteResult | 'cancelled'> {
    const { route, clock } = this.#parts;
    const asked = routeRequestOf(dispatched);
    const routing = within(Math.max(0, budgetMs), clock, (end) => route(asked, end), signal);
    if (!(routing instanceof Promise)) return routing;
    return routing.catch((thrown: unknown) => {
      if (signal?.aborted) return 'cancelled' as const;
      throw thrown;
    });
  }

  #carryOut(
    dispatched: DispatchRequest,
    { decision, request, standIns, session, affinity }: RouteResult,
    target: Target,
    seekUntil: number,
    life: RequestLife,
  ): Promise<CarriedOut> {
    return carryOut(
      {
        request,
        terms: dispatched,
        lane: dispatched.lane ?? 'P1',
        session,
        affinity,
        life,
        decision,
        target,
        standIns,
        catalogue: this.#parts.catalogue(),
        seekUntil,
      },
      this.#work,
    );
  }

  #outcomeOf(carried: CarriedOut, target: Target): Outcome {
    const { attempts, waitedMs } = carried;
    return { conclusion: concludedByAttempts(carried, target, this.#parts.instances), attempts, waitedMs };
  }
}

function goneSince({ targetAgent, capabilityId }: Decision): Conclusion {
  const detail = `${targetAgent}/${capabilityId} left the catalogue while it was decided on`;
  return failed('AGENT_UNREACHABLE', detail);
}

/** What of a request is asked of routing. */
function routeRequestOf(dispatched: DispatchRequest): RouteRequest {
  const { requestId, lane, deadlines, retryPolicy, checkResult, callbackUrl } = dispatched;
  const term = requestId ?? lane ?? deadlines ?? retryPolicy ?? checkResult ?? callbackUrl;
  // A copy without them costs much, and most requests have none.
  return term === undefined ? dispatched : withoutTerms(dispatched);
}

function withoutTerms({
  requestId,
  lane,
  deadlines,
  retryPolicy,
  checkResult,
  callbackUrl,
  ...given
}: DispatchRequest): RouteRequest {
  return given;
}

/** What goes on with the next start is not cancelled. @throws ReachError CLOSED */
function throwIfLeft({ signal }: RequestLife): void {
  if (signal?.reason instanceof ReachError) throw signal.reason;
}

/** A request that nobody was asked for and no queue had a place for was not taken: a problem, no answer. */
function refuseIfFull({ state, error }: Conclusion, attempts: number): void {
  if (state !== 'failed' || error?.code !== 'OVERLOADED' || attempts > 0) return;
  const { detail, retryAfterMs } = error;
  throw new ReachError('OVERLOADED', `${detail}.`, retryAfterMs === undefined ? {} : { retryAfterMs });
}
