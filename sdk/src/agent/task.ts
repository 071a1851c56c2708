import type { Lane } from '../wire/dispatch.js';
import type { FieldError } from '../wire/problem.js';
import type { SessionRound } from '../wire/session.js';

/** One call of a capability. */
export interface AgentTask {
  readonly capabilityId: string;
  /** What the person said; '' where a program called. */
  readonly intent: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly lane: Lane;
  /** The same for every attempt of one request. */
  readonly requestId: string;
  /** 1 for the first. */
  readonly attempt: number;
  /** How long the caller waits, from the arrival of the call. */
  readonly timeoutMs: number;
  /**
   * Aborted when nobody waits any more: the deadline has passed, the request was cancelled, all callers have gone, or
   * the agent must end.
   */
  readonly signal: AbortSignal;
  /** The conversation that this belongs to, where there is one. */
  readonly session: TaskSession | undefined;
  /** W3C Trace Context of the caller. */
  readonly traceparent: string | undefined;
  /** Tells those who follow the request how far the work is: anything that JSON holds. */
  progress(data: unknown): void;
  /** Tells the next piece of a text while it comes into being; the answer holds the whole all the same. */
  delta(text: string): void;
  /**
   * Takes the work for later: who called is told so, and gets the answer as a reply. Told before anything else, and of
   * no effect where the caller takes no reply.
   */
  acknowledge(estimate?: WorkEstimate): void;
}

/** What is known of a conversation when a task begins. */
export interface TaskSession {
  readonly sessionId?: string;
  readonly userId?: string;
  /** Grows with every change. */
  readonly revision?: number;
  /** What agents have found out in it so far, by the names that they gave. */
  readonly entities?: Readonly<Record<string, unknown>>;
  /** The last ones, the oldest first. */
  readonly rounds?: readonly SessionRound[];
  readonly summary?: string;
}

/** When work that was taken for later may be done. */
export interface WorkEstimate {
  /** How much is done before it. */
  readonly queueRemaining?: number;
  readonly estimatedDelayMs?: number;
}

/** An answer with more than a result. */
export interface TaskAnswer {
  readonly result: unknown;
  /** Words for the person. */
  readonly reply?: string | undefined;
  /** What was found out, for the rest of the conversation. */
  readonly entities?: Readonly<Record<string, unknown>> | undefined;
  /** A person should take over. */
  readonly needHumanHandoff?: boolean | undefined;
}

/**
 * What one capability does. Returns its result; or a TaskAnswer, which is told by having a `result` and nothing that a
 * TaskAnswer does not have. What it throws is told to the caller as a mere 500, but for a PayloadError.
 */
export type Handler = (task: AgentTask) => unknown;

const ANSWER_FIELDS: ReadonlySet<string> = new Set(['result', 'reply', 'entities', 'needHumanHandoff']);

/** What a handler returned, as an answer. */
export function taskAnswerOf(returned: unknown): TaskAnswer {
  return isTaskAnswer(returned) ? returned : { result: returned };
}

function isTaskAnswer(value: unknown): value is TaskAnswer {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'result')) return false;
  return Object.keys(value).every((name) => ANSWER_FIELDS.has(name));
}

/** The payload makes no sense or says too little: the caller's fault, not the agent's. */
export class PayloadError extends Error {
  override readonly name = 'PayloadError';
  readonly errors: readonly FieldError[];
  /** 400: it cannot be read; 422: it can, and does not fit. */
  readonly status: 400 | 422;

  constructor(detail: string, errors: readonly FieldError[] = [], status: 400 | 422 = 422) {
    super(detail);
    this.errors = errors;
    this.status = status;
  }
}
