/** One fault in an input. `pointer` is an RFC 6901 JSON pointer into it; '' is the whole. */
export interface FieldError {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

/** RFC 9457 problem details, with a stable code and the faulty fields. */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly FieldError[];
}
