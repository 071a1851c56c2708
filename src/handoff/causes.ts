import type { Clock } from '../clock.js';
import { ERRORS, type ErrorCode, type FieldError } from '../errors.js';
import type { DispatchRequest } from '../wire/dispatch.js';
import type { Ticket } from '../wire/tickets.js';
import { intentKey, type Occasion, subjectOf } from './occasion.js';
import { RecentCounts } from './recent-counts.js';

/** Why a person is asked. */
export interface Cause {
  readonly cause: Ticket['cause'];
  /** What equal causes share. */
  readonly key: string;
  /** For a person. No value of a payload stands in it. */
  readonly sentence: string;
}

const FAST_FAILURES = { times: 3, withinMs: 60_000 } as const;
const REFUSALS = { times: 3, withinMs: 600_000 } as const;
/** What a sentence names of a fault: a caller may give a field any name. */
const FAULT_CHARS = 300;

/** An instance failed, or could not be had. */
const FAILURES: ReadonlySet<string> = new Set<ErrorCode>([
  'AGENT_UNREACHABLE',
  'AGENT_BUSY',
  'AGENT_FAILED',
  'AGENT_NEEDS_AUTH',
  'AGENT_PROTOCOL',
  'RESULT_INVALID',
  'DEADLINE_EXCEEDED',
]);

const titleOf = (code: string) => ERRORS[code as ErrorCode]?.title ?? 'It failed.';
const callerOf = ({ userId, sessionId }: DispatchRequest) => userId ?? sessionId ?? '';

/** The code of what went wrong, as it was answered or thrown. */
function codeOf({ answer, refusal }: Occasion): string | undefined {
  return refusal?.code ?? (answer?.state === 'failed' ? answer.error?.code : undefined);
}

function faultsOf({ answer, refusal }: Occasion): readonly FieldError[] {
  return refusal?.errors ?? answer?.error?.errors ?? [];
}

/** What was wrong, by the schema; what an agent itself complains of is its own words, which may repeat what it was sent. */
function faultText({ refusal }: Occasion): string {
  if (refusal === undefined) return 'by the agent';
  const [first, ...more] = refusal.errors;
  if (first === undefined) return 'for a reason that was not told';
  const text = `${first.pointer}: expected ${first.expected}`.slice(0, FAULT_CHARS);
  return more.length > 0 ? `${text}; and ${more.length} more` : text;
}

/** Nobody was sure enough, and nobody takes it. */
function lowConfidence({ request, decision }: Occasion): Cause | undefined {
  if (decision?.outcome !== 'human') return undefined;
  const { intent = '' } = request;
  return { cause: 'low_confidence', key: `low_confidence ${intentKey(intent)}`, sentence: decision.reason };
}

/** An agent has answered, and asks for a person. */
function agentHandoff(occasion: Occasion): Cause | undefined {
  const { request, decision, answer } = occasion;
  if (answer?.state !== 'handed_off') return undefined;
  if (decision?.outcome !== 'routed' && decision?.outcome !== 'fallback') return undefined;
  const { sessionId, intent } = request;
  const subject = subjectOf(occasion);
  const byIntent = intent === undefined ? subject.key : intentKey(intent);
  const shared = sessionId === undefined ? byIntent : `session ${sessionId}`;
  return {
    cause: 'agent_handoff',
    key: `agent_handoff ${shared}`,
    sentence: `${subject.name} asks for a person.`,
  };
}

/** Somebody was chosen, and nobody is left who could do it. */
function noWayLeft(occasion: Occasion): Cause | undefined {
  const { answer } = occasion;
  const code = codeOf(occasion);
  if (answer === undefined || code === undefined || !FAILURES.has(code)) return undefined;
  const subject = subjectOf(occasion);
  return {
    cause: 'no_way_left',
    key: `no_way_left ${subject.key}`,
    sentence: `No way is left to get ${subject.name} done: ${titleOf(code)}`,
  };
}

/** Finds out what a person has to be asked, and counts what only matters when it comes again. */
export class Causes {
  readonly #fastFailures: RecentCounts;
  readonly #refusals: RecentCounts;

  constructor(clock: Clock) {
    this.#fastFailures = new RecentCounts(clock, FAST_FAILURES.times, FAST_FAILURES.withinMs);
    this.#refusals = new RecentCounts(clock, REFUSALS.times, REFUSALS.withinMs);
  }

  /** Undefined where nobody has to be asked. */
  of(occasion: Occasion): Cause | undefined {
    return (
      lowConfidence(occasion) ??
      agentHandoff(occasion) ??
      this.#p0FailFast(occasion) ??
      this.#repeatedRefusal(occasion) ??
      noWayLeft(occasion)
    );
  }

  #p0FailFast(occasion: Occasion): Cause | undefined {
    const code = codeOf(occasion);
    if (occasion.request.lane !== 'P0' || code === undefined) return undefined;
    if (!FAILURES.has(code) && code !== 'OVERLOADED') return undefined;
    const subject = subjectOf(occasion);
    if (!this.#fastFailures.add(subject.key)) return undefined;
    const { times, withinMs } = FAST_FAILURES;
    const sentence = `${times} urgent requests for ${subject.name} failed within ${withinMs / 1_000} s: ${titleOf(code)}`;
    return { cause: 'p0_fail_fast', key: `p0_fail_fast ${subject.key}`, sentence };
  }

  /** Callers that give no name count as one. */
  #repeatedRefusal(occasion: Occasion): Cause | undefined {
    if (codeOf(occasion) !== 'PAYLOAD_INVALID') return undefined;
    const subject = subjectOf(occasion);
    const faults = faultsOf(occasion).map(({ pointer, expected }) => JSON.stringify([pointer, expected]));
    const key = JSON.stringify([callerOf(occasion.request), subject.key, ...faults.sort()]);
    if (!this.#refusals.add(key)) return undefined;
    return {
      cause: 'repeated_refusal',
      key: `repeated_refusal ${subject.key}`,
      sentence: `The same payload for ${subject.name} was refused ${REFUSALS.times} times: ${faultText(occasion)}.`,
    };
  }
}
