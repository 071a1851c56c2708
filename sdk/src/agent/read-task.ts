import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { httpUrl } from '../http-url.js';
import { fromWire } from '../wire/codec.js';
import type { Lane } from '../wire/dispatch.js';
import type { SessionRound } from '../wire/session.js';
import type { TaskControls } from './execution.js';
import { Refusal } from './refusal.js';
import type { AgentTask, TaskSession } from './task.js';

/** A call as it came: all of a task but what begins with its execution. */
export type TaskCall = Omit<AgentTask, keyof TaskControls>;

/** How a caller can be answered beside one JSON body. */
export interface AnswerWays {
  /** It reads a stream of events. */
  readonly stream: boolean;
  /** Where it takes the answer later; undefined: nowhere. */
  readonly replyTo: URL | undefined;
}

const LONGEST_TIMEOUT_MS = 3_600_000;
/** What a caller that names no time is taken to wait, unless the capability has a deadline. */
const DEFAULT_TIMEOUT_MS: Readonly<Record<Lane, number>> = { P0: 5_000, P1: 5_000, P2: 30_000 };

/**
 * Reads a call of the wire to an agent. `deadlineMs` tells that of a capability.
 * @throws Refusal MALFORMED_REQUEST with what is wrong
 */
export function readTask(
  body: unknown,
  headers: IncomingHttpHeaders,
  deadlineMs: (capabilityId: string) => number | undefined,
): TaskCall {
  const fields = isObject(body) ? body : {};
  const { capability_id: capabilityId, intent, payload, session } = fields;
  if (typeof capabilityId !== 'string') throw malformed('/capability_id', 'a string', capabilityId);
  if (!isNothing(intent) && typeof intent !== 'string') throw malformed('/intent', 'a string', intent);
  if (!isNothing(payload) && !isObject(payload)) throw malformed('/payload', 'an object', payload);
  const lane = laneOf(fields.lane);
  const given = numberIn(headers['x-reach-timeout-ms']);
  return {
    capabilityId,
    intent: intent ?? '',
    payload: payload ?? null,
    lane,
    requestId: requestIdOf(fields.request_id, headers),
    attempt: numberIn(headers['x-reach-attempt']) ?? 1,
    timeoutMs: Math.min(given ?? deadlineMs(capabilityId) ?? DEFAULT_TIMEOUT_MS[lane], LONGEST_TIMEOUT_MS),
    session: sessionOf(session),
    traceparent: textIn(headers.traceparent),
  };
}

/** What cannot be called is taken for nowhere. */
export function readAnswerWays(body: unknown, headers: IncomingHttpHeaders): AnswerWays {
  const { reply_to: replyTo } = isObject(body) ? body : {};
  return {
    stream: /\btext\/event-stream\b/i.test(headers.accept ?? ''),
    replyTo: typeof replyTo === 'string' ? httpUrl(replyTo) : undefined,
  };
}

/** A caller that gives none asks for something new each time. */
function requestIdOf(inBody: unknown, headers: IncomingHttpHeaders): string {
  const inHeaders = textIn(headers['x-reach-request-id']) ?? textIn(headers['idempotency-key']);
  return inHeaders ?? (typeof inBody === 'string' && inBody !== '' ? inBody : randomUUID());
}

function laneOf(value: unknown): Lane {
  return value === 'P0' || value === 'P2' ? value : 'P1';
}

function sessionOf(value: unknown): TaskSession | undefined {
  if (!isObject(value)) return undefined;
  const { session_id: sessionId, user_id: userId, revision, entities, rounds, summary } = value;
  return {
    ...(typeof sessionId === 'string' && { sessionId }),
    ...(typeof userId === 'string' && { userId }),
    ...(typeof revision === 'number' && { revision }),
    ...(isObject(entities) && { entities }),
    ...(Array.isArray(rounds) && { rounds: fromWire(rounds) as SessionRound[] }),
    ...(typeof summary === 'string' && { summary }),
  };
}

function textIn(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && header !== '' ? header : undefined;
}

function numberIn(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}

function malformed(pointer: string, expected: string, value: unknown): Refusal {
  const received = isNothing(value)
    ? 'nothing'
    : Array.isArray(value)
      ? 'an array'
      : `a value of type ${typeof value}`;
  const errors = [{ pointer, expected, received }];
  return new Refusal('MALFORMED_REQUEST', `${pointer}: expected ${expected}, received ${received}`, {
    errors,
  });
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
