import type { Lane } from '../wire/dispatch.js';
import type { FieldError } from '../wire/problem.js';

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
  /** Aborted when nobody waits any more: the deadline has passed, or the agent must end. */
  readonly signal: AbortSignal;
  /** The conversation that this belongs to, where there is one. */
  readonly session: { readonly sessionId?: string; readonly userId?: string } | undefined;
  /** W3C Trace Context of the caller. */
  readonly traceparent: string | undefined;
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
