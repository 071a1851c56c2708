import type { EndSignal } from '../end-signal.js';
import type { FinalAnswer } from '../transport/agent-transport.js';
import type { DispatchAnswer, DispatchRequest } from '../wire/dispatch.js';
import type { OpenState } from './request-state.js';

/** The answer of an agent that took its work for later, and what it tells until then. */
export interface LateAnswer {
  /**
   * Resolves once it is there. The wait has no end of its own. It is asked for when the agent has taken the work with
   * a 202, and not before: from then on a restart goes on waiting for it.
   */
  readonly answer: Promise<FinalAnswer>;
  /** Nobody waits for it any more: what comes later is refused. */
  giveUp(): void;
}

/** One delivery, told before anything is sent. */
export interface Delivery {
  readonly attempt: number;
  readonly agentName: string;
  readonly instanceId: string;
  readonly capabilityId: string;
  readonly idempotent: boolean;
  /** When the work must have ended, all attempts together, by the monotonic clock. */
  readonly deadline: number;
}

/**
 * One request under way, as whoever carries it out sees it: what it needs from the one who keeps the request, and
 * whom it tells how far it is. An argument of every step; nothing of it is found any other way.
 */
export interface RequestLife {
  readonly requestId: string;
  /** Whether its caller waits for it; else it has the longer seek budget. */
  readonly mode: 'sync' | 'async';
  /** W3C traceparent of the caller. */
  readonly traceparent: string | undefined;
  /** Aborted when it is cancelled, or ended from outside; with CLOSED as its reason where it is left to the next start. */
  readonly signal: EndSignal | undefined;
  /** When it was accepted, by the monotonic clock: the seek budget counts from then on, also through a restart. */
  readonly acceptedAt: number;
  /** Its last delivery before a restart: its deadline still holds, and it may have been executed. */
  readonly earlier: Delivery | undefined;
  /** It is in this state from now on. A step that the diagram does not have is not taken. */
  enter(state: Exclude<OpenState, 'delivered'>, attempt?: number): void;
  /**
   * It is `delivered`. Nothing may be sent before this resolves (at once: undefined): what a restart finds there may
   * have been executed.
   * @throws ReachError STORE_UNAVAILABLE
   */
  deliver(delivery: Delivery): Promise<void> | undefined;
  /** It waits for a slot, at this place. */
  queuedAt(place: number): void;
  progress(data: unknown): void;
  delta(data: unknown): void;
  /** The wait for a late answer to this attempt, and where it is sent to; undefined where nobody could answer. */
  late(attempt: number): (LateAnswer & { readonly replyTo: string }) | undefined;
}

/** Tells the agent of a delivery that what it took for later is no longer wanted. */
export type Withdraw = (requestId: string, delivery: Pick<Delivery, 'agentName' | 'instanceId'>) => void;

/**
 * Carries a request out; what an agent does wrong is in the answer.
 * @throws ReachError what the caller did wrong, or what kept the request from being taken
 */
export type CarryOut = (request: DispatchRequest, life: RequestLife) => Promise<DispatchAnswer>;
