import type { FieldError } from '../errors.js';
import type { HttpResponse } from '../net/http-outcome.js';
import { isObject, type JsonObject } from '../wire/json-object.js';
import { readAnswerBody } from './answer-body.js';

/** What an agent says about a request that it did not carry out. */
export interface AgentComplaint {
  /** Undefined where it gives no words. */
  readonly detail: string | undefined;
  readonly errors: readonly FieldError[];
}

/** An agent's words travel on into answers and logs: enough to understand, no more. */
const MAX_TEXT = 1_000;
const MAX_ERRORS = 100;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAX_TEXT) : undefined;
}

function fieldErrorOf(value: unknown): FieldError | undefined {
  if (!isObject(value) || typeof value.pointer !== 'string') return undefined;
  return {
    pointer: value.pointer.slice(0, MAX_TEXT),
    expected: textOf(value.expected) ?? textOf(value.detail) ?? 'another value',
    received: textOf(value.received) ?? 'this value',
  };
}

/** Reads problem details (RFC 9457, with or without our `errors`), `{error: "..."}` and `{error: {message}}`. */
export function readComplaint(answer: HttpResponse): AgentComplaint {
  const body = readAnswerBody(answer);
  return body.kind === 'read' ? complaintOf(body.value) : { detail: undefined, errors: [] };
}

/** The same of its parsed body, or of the data of a stream's `error`. */
export function complaintOf({ detail, title, error, errors }: JsonObject): AgentComplaint {
  const inner = isObject(error) ? (error.message ?? error.detail) : error;
  const listed = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [];
  return {
    detail: textOf(detail) ?? textOf(inner) ?? textOf(title),
    errors: listed.map(fieldErrorOf).filter((fieldError) => fieldError !== undefined),
  };
}
