import type { FieldError, Problem } from '../wire/problem.js';

interface Facts {
  readonly status?: number | undefined;
  readonly errors?: readonly FieldError[];
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * A call that was not answered as it should be. `code` is the service's, as its documentation lists them; of our own
 * are `SERVER_UNREACHABLE` (nothing, or nothing that speaks as the service does) and `DEADLINE_EXCEEDED` without a
 * status (no answer within `timeoutMs`).
 */
export class ReachClientError extends Error {
  override readonly name = 'ReachClientError';
  readonly code: string;
  /** Of the HTTP answer; undefined where none came. */
  readonly status: number | undefined;
  /** The faulty fields of the request. */
  readonly errors: readonly FieldError[];
  /** How long the service asks to wait before the next try. */
  readonly retryAfterMs: number | undefined;

  constructor(code: string, detail: string, { status, errors = [], retryAfterMs, cause }: Facts = {}) {
    super(detail, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }

  /** Whether the same call may succeed later. */
  get retryable(): boolean {
    return this.status === undefined || this.status >= 500 || this.status === 429;
  }
}

/** The error that problem details tell of; undefined where a body holds none. */
export function errorOfProblem(body: unknown, retryAfterMs?: number): ReachClientError | undefined {
  const { code, detail, status, errors = [] } = (body ?? {}) as Partial<Problem>;
  if (typeof code !== 'string' || typeof detail !== 'string') return undefined;
  return new ReachClientError(code, detail, { status, errors, retryAfterMs });
}
