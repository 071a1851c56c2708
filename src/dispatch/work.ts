import type { Clock } from '../clock.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { RequestLife } from '../requests/request-life.js';
import type { Affinity } from '../routing/conversation.js';
import type { InstanceChoice } from '../routing/instance-choice.js';
import type { AgentTransport, CallSession } from '../transport/agent-transport.js';
import type { DispatchRequest, Lane } from '../wire/dispatch.js';
import type { RouteRequest } from '../wire/route.js';
import type { Lanes } from './lanes.js';
import type { RetryBudget } from './retry-budget.js';

/** How the caller wants it done. */
export type Terms = Pick<DispatchRequest, 'deadlines' | 'retryPolicy' | 'checkResult'>;

/** What is asked of agents: the same in all attempts. */
export interface Work {
  /** As it is carried out: the given one, or the clarified one that it completes. */
  readonly request: RouteRequest;
  readonly terms: Terms;
  readonly lane: Lane;
  readonly session: CallSession | undefined;
  readonly affinity: Affinity | undefined;
  readonly life: RequestLife;
}

/** What carrying work out needs. */
export interface WorkParts {
  readonly lanes: Lanes;
  readonly choice: InstanceChoice;
  readonly budget: RetryBudget;
  readonly instances: InstanceViews;
  readonly transport: AgentTransport;
  readonly clock: Clock;
  /** 0..1. */
  readonly random: () => number;
}
