import { type FieldError, sentenceOf } from '../errors.js';
import type { CallOutcome } from '../health/instance-view.js';
import { keepLast } from '../keep-last.js';
import type { LateAnswer, RequestLife } from '../requests/request-life.js';
import type { AgentCall, CallListener, FailedAnswer, FinalAnswer } from '../transport/agent-transport.js';
import { failed, failedWithoutSending, notUnderstood } from '../transport/failure-answer.js';
import type { Attempt } from '../wire/dispatch.js';
import { ackBudgetMs } from './budgets.js';
import { outcomeOf } from './call-outcome.js';
import type { Slot } from './lanes.js';
import { awaitLate } from './late-answer.js';
import type { Target } from './target.js';
import type { Work, WorkParts } from './work.js';

/** One attempt at some work. */
export interface AttemptPlan {
  readonly work: Work;
  readonly target: Target;
  readonly payload: AgentCall['payload'];
  readonly slot: Slot;
  /** From 1. */
  readonly number: number;
  /** When the work must be done, monotonic. */
  readonly deadline: number;
}

/** What came of an attempt, for the next step and for the caller. */
export interface MadeAttempt {
  readonly answer: FinalAnswer;
  readonly attempt: Attempt;
}

type AttemptParts = Pick<WorkParts, 'transport' | 'clock'>;

/** Tells the one who keeps the request what an agent says while it works. */
class LifeTeller implements CallListener {
  readonly #life: RequestLife;
  readonly #attempt: number;
  #processing = false;

  constructor(life: RequestLife, attempt: number) {
    this.#life = life;
    this.#attempt = attempt;
  }

  acknowledged(): void {
    this.#life.enter('acknowledged', this.#attempt);
  }

  progress(data: unknown): void {
    this.#atWork();
    this.#life.progress(data);
  }

  delta(data: unknown): void {
    this.#atWork();
    this.#life.delta(data);
  }

  #atWork(): void {
    if (!this.#processing) this.#life.enter('processing', this.#attempt);
    this.#processing = true;
  }
}

const NO_TIME: FailedAnswer = {
  ...failedWithoutSending('DEADLINE_EXCEEDED', 'the deadline passed before anything was sent'),
  kind: 'timeout',
};

const UNASKED = notUnderstood('the agent took the work for later, though there is nowhere to answer to');

function invalidResult(errors: readonly FieldError[]): FailedAnswer {
  const detail = `the result does not fit the output schema: ${sentenceOf(errors, 'the result')}`;
  return failed('RESULT_INVALID', detail, { mayHaveExecuted: true });
}

function callOf(
  { work, target, payload, slot, number }: AttemptPlan,
  leftMs: number,
  replyTo: string | null,
): AgentCall {
  const { request, terms, lane, session, life } = work;
  const { executeEndpoint, auth } = target.agent.manifest;
  return {
    address: slot.instance.address,
    executeEndpoint,
    auth,
    capabilityId: target.capability.id,
    requestId: life.requestId,
    attempt: number,
    timeoutMs: leftMs,
    ackMs: ackBudgetMs(lane, terms.deadlines),
    intent: request.intent,
    payload,
    lane,
    session,
    replyTo,
    traceparent: life.traceparent,
    signal: life.signal,
  };
}

/** The answer to work that an agent took for later, which comes by another way. */
async function answeredLater(
  late: LateAnswer | undefined,
  call: AgentCall,
  { work: { life }, number, deadline }: AttemptPlan,
  { transport, clock }: AttemptParts,
): Promise<FinalAnswer> {
  if (late === undefined) {
    void transport.cancel(call);
    return UNASKED;
  }
  life.enter('acknowledged', number);
  return awaitLate(late, call, deadline - clock.monotonic(), { transport, clock });
}

/** Of wall time. Many attempts begin in the same millisecond, and a stamp costs more than all else that is told of one. */
const stampOf = keepLast((atMs: number) => new Date(atMs).toISOString());

function checked(answer: FinalAnswer, { work, target }: AttemptPlan): FinalAnswer {
  if (answer.kind !== 'completed' || work.terms.checkResult !== true) return answer;
  const errors = target.agent.validators.checkResult(target.capability.id, answer.result);
  return errors.length === 0 ? answer : invalidResult(errors);
}

/** A caller who gives less time than the work usually takes shows nothing of the agent. */
function countedOutcome(
  answer: FinalAnswer,
  givenMs: number,
  { target, slot }: AttemptPlan,
): CallOutcome['outcome'] {
  const usualMs = target.capability.expectedMs ?? slot.instance.latencyMs ?? 0;
  return answer.kind === 'timeout' && givenMs < usualMs ? 'cancelled' : outcomeOf(answer);
}

function told(
  answer: FinalAnswer,
  { target, slot }: AttemptPlan,
  startedAt: string,
  elapsedMs: number,
): MadeAttempt {
  const { agentName, instanceId } = slot.instance;
  const errorCode =
    answer.kind === 'refused' ? 'PAYLOAD_INVALID' : 'code' in answer ? answer.code : undefined;
  const attempt = {
    agentName,
    instanceId,
    capabilityId: target.capability.id,
    startedAt,
    elapsedMs,
    outcome: answer.kind,
  };
  return { answer, attempt: errorCode === undefined ? attempt : { ...attempt, errorCode } };
}

/**
 * Delivers the work to the instance of a slot, and frees that whatever comes of it. What is thrown is no fault of
 * the instance, and is not counted against it.
 * @throws ReachError STORE_UNAVAILABLE where it could not be written down first; then nothing was sent
 */
export async function makeAttempt(plan: AttemptPlan, parts: AttemptParts): Promise<MadeAttempt> {
  const { work, target, slot, number, deadline } = plan;
  const { transport, clock } = parts;
  const { life } = work;
  const { agentName, instanceId } = slot.instance;
  const { id: capabilityId, idempotent } = target.capability;
  let outcome: CallOutcome['outcome'] = 'cancelled';
  let start = clock.monotonic();
  let late: ReturnType<RequestLife['late']>;
  try {
    const delivered = life.deliver({
      attempt: number,
      agentName,
      instanceId,
      capabilityId,
      idempotent,
      deadline,
    });
    if (delivered !== undefined) {
      await delivered;
      start = clock.monotonic();
    }
    const startedAt = stampOf(clock.now());
    const givenMs = deadline - start;
    let answer: FinalAnswer = NO_TIME;
    if (life.signal?.aborted) answer = { kind: 'cancelled' };
    else if (givenMs >= 1) {
      late = life.late(number);
      const call = callOf(plan, givenMs, late?.replyTo ?? null);
      const first = await transport.call(call, new LifeTeller(life, number));
      const last = first.kind === 'accepted' ? await answeredLater(late, call, plan, parts) : first;
      answer = checked(last, plan);
      outcome = countedOutcome(answer, givenMs, plan);
    }
    return told(answer, plan, startedAt, clock.monotonic() - start);
  } finally {
    late?.giveUp();
    slot.end({ outcome, elapsedMs: clock.monotonic() - start });
  }
}
