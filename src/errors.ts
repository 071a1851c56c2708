/** What a code means to every door: HTTP status, gRPC status name, whether the same call may succeed later. */
interface ErrorKind {
  readonly status: number;
  readonly grpc: string;
  readonly retryable: boolean;
  readonly title: string;
}

const kind = (status: number, grpc: string, title: string, retryable = false): ErrorKind =>
  Object.freeze({ status, grpc, title, retryable });

/** The one table of errors. Codes are stable: callers switch on them, the documentation is generated from them. */
export const ERRORS = Object.freeze({
  MALFORMED_REQUEST: kind(400, 'INVALID_ARGUMENT', 'The request cannot be read.'),
  INVALID_REQUEST: kind(422, 'INVALID_ARGUMENT', 'The request does not fit its schema.'),
  BODY_TOO_LARGE: kind(413, 'RESOURCE_EXHAUSTED', 'The request is larger than allowed.'),
  UNSUPPORTED_MEDIA_TYPE: kind(
    415,
    'INVALID_ARGUMENT',
    'The request is of a media type that is not read here.',
  ),
  NOT_FOUND: kind(404, 'NOT_FOUND', 'There is nothing at this address.'),
  METHOD_NOT_ALLOWED: kind(405, 'UNIMPLEMENTED', 'This address does not take this method.'),
  AGENT_UNKNOWN: kind(404, 'NOT_FOUND', 'No agent of this name is in the catalogue.'),
  CAPABILITY_UNKNOWN: kind(404, 'NOT_FOUND', 'No capability of this name is in the catalogue.'),
  ROUTE_UNKNOWN: kind(404, 'NOT_FOUND', 'No open question and no decision of this route_id is known.'),
  OUTCOME_REPORTED: kind(409, 'ALREADY_EXISTS', 'The outcome of this decision has been reported already.'),
  MANIFEST_INVALID: kind(422, 'INVALID_ARGUMENT', 'The manifest is not valid.'),
  MANIFEST_VERSION_STALE: kind(409, 'ABORTED', 'A manifest of this or a higher version is already there.'),
  MANIFEST_VERSION_UNKNOWN: kind(404, 'NOT_FOUND', 'No manifest of this version is kept for this agent.'),
  MANIFEST_BREAKING: kind(
    409,
    'FAILED_PRECONDITION',
    'The manifest would break callers of the version that serves, which is not allowed here.',
  ),
  MANIFEST_MANAGED_BY_FOLDER: kind(
    409,
    'FAILED_PRECONDITION',
    'This agent is managed by a watched folder and cannot be changed here.',
  ),
  INSTANCE_UNKNOWN: kind(404, 'NOT_FOUND', 'No instance of this id is registered for this agent.'),
  INSTANCE_TAKEN: kind(409, 'ALREADY_EXISTS', 'Another instance has this id, and its lease holds.'),
  INSTANCE_REPLACED: kind(409, 'ABORTED', 'A newer incarnation of this instance has taken its place.'),
  INSTANCE_STATIC: kind(
    409,
    'FAILED_PRECONDITION',
    'This instance is named by a manifest and is changed there.',
  ),
  HEARTBEAT_STALE: kind(409, 'ABORTED', 'A later heartbeat of this instance was heard already.'),
  PAYLOAD_INVALID: kind(422, 'INVALID_ARGUMENT', "The payload does not fit the capability's input schema."),
  ADDRESS_FORBIDDEN: kind(422, 'INVALID_ARGUMENT', 'This address may not be called.'),
  REQUEST_UNKNOWN: kind(404, 'NOT_FOUND', 'No request of this id is known, or it is not yours to answer.'),
  REQUEST_ENDED: kind(409, 'FAILED_PRECONDITION', 'The request has ended already.'),
  IDEMPOTENCY_CONFLICT: kind(409, 'ALREADY_EXISTS', 'This request_id came before with another body.'),
  SESSION_UNKNOWN: kind(404, 'NOT_FOUND', 'No session of this id is kept.'),
  REVISION_REQUIRED: kind(428, 'FAILED_PRECONDITION', 'The revision that is to be replaced must be named.'),
  REVISION_STALE: kind(412, 'ABORTED', 'The session has another revision by now.'),
  TICKET_UNKNOWN: kind(404, 'NOT_FOUND', 'No ticket of this id is kept.'),
  TICKET_TAKEN: kind(409, 'ABORTED', 'Somebody else has claimed this ticket.'),
  TICKET_RESOLVED: kind(409, 'FAILED_PRECONDITION', 'The ticket is resolved already.'),
  WEIGHTS_FOREIGN: kind(422, 'INVALID_ARGUMENT', 'The weights belong to other models than those that serve.'),
  TUNING_CONFLICT: kind(409, 'ABORTED', 'Other weights are in force than those that this builds on.'),
  TUNING_AT_FIRST: kind(
    409,
    'FAILED_PRECONDITION',
    'There is nothing to take back: no weights were applied.',
  ),
  LABEL_UNKNOWN: kind(404, 'NOT_FOUND', 'No label of this id is kept.'),
  LABELS_FULL: kind(409, 'RESOURCE_EXHAUSTED', 'As many labels are kept as there is room for.'),
  EMBEDDING_INTERRUPTED: kind(
    503,
    'UNAVAILABLE',
    'The embedding process ended while it held this text.',
    true,
  ),
  OVERLOADED: kind(503, 'RESOURCE_EXHAUSTED', 'The service has more work than it can take.', true),
  NOT_READY: kind(503, 'UNAVAILABLE', 'The service is not ready yet.', true),
  CLOSED: kind(503, 'UNAVAILABLE', 'The service is shutting down.', true),
  AGENT_UNREACHABLE: kind(503, 'UNAVAILABLE', 'No instance of the agent could be reached.', true),
  AGENT_BUSY: kind(503, 'UNAVAILABLE', 'The agent is busy.', true),
  AGENT_FAILED: kind(502, 'INTERNAL', 'The agent failed.', true),
  AGENT_NEEDS_AUTH: kind(502, 'UNAUTHENTICATED', 'The agent asks for a login that it was not given.'),
  AGENT_PROTOCOL: kind(502, 'INTERNAL', 'The agent answered in a way that cannot be understood.'),
  RESULT_INVALID: kind(502, 'INTERNAL', "The agent's result does not fit the capability's output schema."),
  NODE_LOST: kind(503, 'UNAVAILABLE', 'The process that carried this out ended, and it may not be repeated.'),
  DEADLINE_EXCEEDED: kind(504, 'DEADLINE_EXCEEDED', 'The deadline passed before an answer came.', true),
  CONFIG_INVALID: kind(500, 'FAILED_PRECONDITION', 'The configuration is not valid.'),
  MODEL_INVALID: kind(500, 'FAILED_PRECONDITION', 'The embedding model cannot be used.'),
  PORT_TAKEN: kind(500, 'FAILED_PRECONDITION', 'The address to listen on is already in use.'),
  STORE_UNAVAILABLE: kind(503, 'UNAVAILABLE', 'The store cannot be used.', true),
  SERVER_UNREACHABLE: kind(503, 'UNAVAILABLE', 'No Agent-Reach server answers at this address.', true),
  INTERNAL: kind(500, 'INTERNAL', 'Something went wrong inside Agent-Reach.'),
});

export type ErrorCode = keyof typeof ERRORS;

/** One fault in an input. `pointer` is an RFC 6901 JSON pointer into it; '' is the whole. */
export interface FieldError {
  readonly pointer: string;
  readonly expected: string;
  readonly received: string;
}

interface ReachErrorOptions {
  readonly errors?: readonly FieldError[];
  readonly retryAfterMs?: number;
  readonly cause?: unknown;
}

/** Every error that leaves Agent-Reach: a stable code, a sentence about this very case, and the faulty fields. */
export class ReachError extends Error {
  override readonly name = 'ReachError';
  readonly code: ErrorCode;
  readonly errors: readonly FieldError[];
  readonly retryAfterMs: number | undefined;

  constructor(code: ErrorCode, detail: string, options: ReachErrorOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.errors = options.errors ?? [];
    this.retryAfterMs = options.retryAfterMs;
  }

  get status(): number {
    return ERRORS[this.code].status;
  }

  get retryable(): boolean {
    return ERRORS[this.code].retryable;
  }
}

/** Anything thrown as a ReachError; what was not one becomes INTERNAL with the original as its cause. */
export function asReachError(thrown: unknown): ReachError {
  if (thrown instanceof ReachError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new ReachError('INTERNAL', message, { cause: thrown });
}

/** More faults than these are for machines to read. */
const NAMED_FAULTS = 3;

/**
 * What is wrong with an input, in words without a full stop: its first three faults, and how many more there are.
 * `whole` is what stands for the pointer ''; without it a fault of the whole names no place.
 */
export function sentenceOf(errors: readonly FieldError[], whole = ''): string {
  const parts = errors.slice(0, NAMED_FAULTS).map(({ pointer, expected, received }) => {
    const place = pointer || whole;
    return `${place === '' ? '' : `${place}: `}expected ${expected}, received ${received}`;
  });
  const rest = errors.length - parts.length;
  return [...parts, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** A value as JSON for use in a sentence, cut where it is long. */
export function quoted(value: unknown): string {
  const cut = (text: string) => (text.length > 60 ? `${text.slice(0, 60)}…` : text);
  return typeof value === 'string' ? JSON.stringify(cut(value)) : cut(JSON.stringify(value) ?? 'nothing');
}

/** A short description of a received value for a FieldError: its type, and the value where it is small. */
export function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (Array.isArray(value)) return `an array of ${value.length}`;
  if (typeof value === 'object') return 'an object';
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  return `the ${typeof value} ${String(value)}`;
}
