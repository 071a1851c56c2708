import type { FieldError, Problem } from '../wire/problem.js';

const REFUSALS = Object.freeze({
  MALFORMED_REQUEST: [400, 'The request cannot be read.'],
  NOT_FOUND: [404, 'There is nothing at this address.'],
  CAPABILITY_UNKNOWN: [404, 'The agent has no capability of this name.'],
  METHOD_NOT_ALLOWED: [405, 'This address does not take this method.'],
  IDEMPOTENCY_CONFLICT: [409, 'The same request id came with another body.'],
  BODY_TOO_LARGE: [413, 'The request is larger than allowed.'],
  PAYLOAD_INVALID: [422, 'The payload does not fit the capability.'],
  AGENT_BUSY: [429, 'The agent is busy.'],
  INTERNAL: [500, 'The agent failed.'],
  NOT_READY: [503, 'The agent is paused.'],
  CLOSED: [503, 'The agent is shutting down.'],
  DEADLINE_EXCEEDED: [504, 'The deadline passed before an answer came.'],
} as const);

type RefusalCode = keyof typeof REFUSALS;

interface Facts {
  readonly errors?: readonly FieldError[];
  /** Whole seconds after which the same call may succeed. */
  readonly retryAfterS?: number;
}

/** Why a call is not answered with a result. The codes are those of the service. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  readonly retryAfterS: number | undefined;
  readonly #errors: readonly FieldError[];

  constructor(code: RefusalCode, detail: string, { errors = [], retryAfterS }: Facts = {}) {
    super(detail);
    this.code = code;
    this.retryAfterS = retryAfterS;
    this.#errors = errors;
  }

  get problem(): Problem {
    const [status, title] = REFUSALS[this.code];
    const { code, message: detail } = this;
    return { type: 'about:blank', title, status, code, detail, errors: this.#errors };
  }
}
