import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextStep,
  type PastAttempt,
  type PlanState,
  type PlanTarget,
} from '../../src/dispatch/retry-plan.js';
import type { ErrorCode } from '../../src/errors.js';
import type { FinalAnswer } from '../../src/transport/agent-transport.js';

const target = (overrides: Partial<PlanTarget> = {}): PlanTarget => ({
  agentName: 'reports',
  idempotent: false,
  expectedMs: undefined,
  isOpen: () => true,
  ...overrides,
});

function failure(code: ErrorCode, mayHaveExecuted: boolean, retryAfterMs?: number): FinalAnswer {
  const kind = code === 'DEADLINE_EXCEEDED' ? 'timeout' : 'failed';
  return { kind, code, detail: '', unreached: false, mayHaveExecuted, retryAfterMs };
}

const done: FinalAnswer = {
  kind: 'completed',
  result: 1,
  reply: undefined,
  entities: undefined,
  needHumanHandoff: false,
};
const refused: FinalAnswer = { kind: 'refused', detail: '', errors: [] };
const unreachable = failure('AGENT_UNREACHABLE', false);
const broken = failure('AGENT_FAILED', true);

const BEFORE: PlanState = {
  targets: [target()],
  past: [],
  made: 0,
  inRound: 0,
  round: 0,
  policy: { maxAttempts: 3, backoffBaseMs: 200, backoffFactor: 2 },
  leftMs: 1_000,
  budgetAllows: true,
  random: 0.5,
};

/** After some answers of one target in the first round. */
function stepAfter(answers: readonly FinalAnswer[], overrides: Partial<PlanState> = {}, of = target()) {
  const past = answers.map((answer): PastAttempt => ({ target: of, answer }));
  return stepOf({ past, made: past.length, inRound: past.length, ...overrides });
}

function stepOf(state: Partial<PlanState>): string {
  const step = nextStep({ ...BEFORE, ...state });
  switch (step.kind) {
    case 'attempt':
      return `attempt at ${step.target}`;
    case 'wait':
      return `wait ${step.delayMs}`;
    case 'stop':
      return step.reason;
  }
}

const closed = target({ isOpen: () => false });
const safe = target({ idempotent: true });
const closedSafe = target({ idempotent: true, isOpen: () => false });
const other = target({ agentName: 'other' });

describe('the first attempt', () => {
  it.each<[string, Partial<PlanState>, string]>([
    ['is at the target of the decision', { targets: [target(), other] }, 'attempt at 0'],
    [
      'is at who stands in for it, where nobody there takes work',
      { targets: [closed, other] },
      'attempt at 1',
    ],
    ['is at nobody, where nobody takes work', { targets: [closed] }, 'no_instance'],
    ['needs time', { leftMs: 0.5 }, 'no_time'],
    ['needs no budget of repeats', { budgetAllows: false }, 'attempt at 0'],
    [
      'is made although less is left than it usually takes',
      { targets: [target({ expectedMs: 2_000 })] },
      'attempt at 0',
    ],
  ])('%s', (_, state, expected) => {
    expect(stepOf(state)).toBe(expected);
  });
});

describe('after an attempt', () => {
  it.each<[string, string, string]>([
    ['that was completed', stepAfter([done]), 'answered'],
    ['that the caller is at fault for', stepAfter([refused]), 'answered'],
    ['that was cancelled', stepAfter([{ kind: 'cancelled' }]), 'answered'],
    ['that sent nothing: elsewhere', stepAfter([unreachable]), 'attempt at 0'],
    ['that may have been executed: not again', stepAfter([broken]), 'not_repeatable'],
    [
      'that may have been executed, where that does no harm',
      stepAfter([broken], { targets: [safe] }, safe),
      'attempt at 0',
    ],
    [
      'to a next one that must not be repeated',
      stepAfter([broken], { targets: [closedSafe, other] }, safe),
      'wait 100',
    ],
    [
      'to a next one that may, after one that must not',
      stepAfter([broken], { targets: [closed, { ...safe, agentName: 'other' }] }),
      'not_repeatable',
    ],
    [
      'whose result does not fit',
      stepAfter([failure('RESULT_INVALID', true)], { targets: [safe] }, safe),
      'not_repeatable',
    ],
    [
      'that found a login missing: not at the same agent',
      stepAfter([failure('AGENT_NEEDS_AUTH', false)]),
      'not_repeatable',
    ],
    [
      'that found a login missing: at another agent',
      stepAfter([failure('AGENT_NEEDS_AUTH', false)], { targets: [target(), other] }),
      'attempt at 1',
    ],
    [
      'that was the last that is allowed',
      stepAfter([unreachable, unreachable, unreachable]),
      'attempts_used',
    ],
    [
      'with too little time for another',
      stepAfter([unreachable], { targets: [target({ expectedMs: 2_000 })] }),
      'no_time',
    ],
    [
      'with time for the other one only',
      stepAfter([unreachable], { targets: [target({ expectedMs: 2_000 }), other] }),
      'attempt at 1',
    ],
    ['while too much is repeated', stepAfter([unreachable], { budgetAllows: false }), 'budget_used'],
  ])('%s', (_, step, expected) => {
    expect(step).toBe(expected);
  });
});

describe('when all are out', () => {
  const allOut = { targets: [closed] };
  it.each<[string, string, string]>([
    [
      'it waits, at most as long as the base, by chance',
      stepAfter([unreachable], { ...allOut, random: 0.25 }),
      'wait 50',
    ],
    [
      'it may wait longer after each round',
      stepAfter([unreachable], { ...allOut, round: 2, random: 0.25 }),
      'wait 200',
    ],
    [
      'it waits as long as those who are busy say',
      stepAfter([failure('AGENT_BUSY', false, 600)], allOut),
      'wait 600',
    ],
    [
      'it waits no longer than the first of them says',
      stepAfter([failure('AGENT_BUSY', false, 600), unreachable], allOut),
      'wait 100',
    ],
    [
      'it ends where they are busy for longer than is left',
      stepAfter([failure('AGENT_BUSY', false, 7_000)], allOut),
      'no_time',
    ],
    ['it ends where no time would be left', stepAfter([unreachable], { ...allOut, leftMs: 100 }), 'no_time'],
    [
      'it ends after a round in which there was nobody',
      stepAfter([unreachable], { ...allOut, inRound: 0, round: 1 }),
      'no_instance',
    ],
    [
      'it does not wait for what it may not do',
      stepAfter([unreachable], { ...allOut, budgetAllows: false }),
      'budget_used',
    ],
  ])('%s', (_, step, expected) => {
    expect(step).toBe(expected);
  });
});

const anyAnswer = fc.constantFrom(
  unreachable,
  broken,
  failure('DEADLINE_EXCEEDED', true),
  failure('AGENT_BUSY', false, 50),
  failure('AGENT_NEEDS_AUTH', false),
  failure('RESULT_INVALID', true),
);
const anyTarget = fc.record({
  agentName: fc.constantFrom('a', 'b'),
  idempotent: fc.boolean(),
  expectedMs: fc.constantFrom(undefined, 10, 500),
  isOpen: fc.boolean().map((open) => () => open),
});
const anyState = fc.record({
  targets: fc.array(anyTarget, { minLength: 1, maxLength: 4 }),
  past: fc.array(fc.record({ target: anyTarget, answer: anyAnswer }), { maxLength: 12 }),
  inRound: fc.integer({ min: 0, max: 12 }),
  round: fc.integer({ min: 0, max: 10 }),
  policy: fc.record({
    maxAttempts: fc.integer({ min: 1, max: 10 }),
    backoffBaseMs: fc.integer({ min: 0, max: 60_000 }),
    backoffFactor: fc.integer({ min: 1, max: 10 }),
  }),
  leftMs: fc.integer({ min: -10, max: 3_600_000 }),
  budgetAllows: fc.boolean(),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
});

describe('whatever happened', () => {
  const always = (holds: (state: PlanState, step: ReturnType<typeof nextStep>) => boolean) =>
    fc.assert(
      fc.property(anyState, (given) => {
        const state = {
          ...given,
          made: given.past.length,
          inRound: Math.min(given.inRound, given.past.length),
        };
        return holds(state, nextStep(state));
      }),
      { numRuns: 5_000 },
    );

  it('no more attempts are made than were asked for', () => {
    always(
      ({ past, policy }, { kind }) =>
        kind === 'stop' || past.length < policy.maxAttempts || past.length === 0,
    );
  });

  it('nobody is tried who is out', () => {
    always(({ targets }, step) => step.kind !== 'attempt' || targets[step.target]?.isOpen() === true);
  });

  it('what may have been executed is executed again only where both allow it', () => {
    always(({ targets, past }, step) => {
      const executed = past.filter(({ answer }) => 'mayHaveExecuted' in answer && answer.mayHaveExecuted);
      if (step.kind !== 'attempt' || executed.length === 0) return true;
      return targets[step.target]?.idempotent === true && executed.every((made) => made.target.idempotent);
    });
  });

  it('nothing is repeated beyond the budget', () => {
    always(({ past, budgetAllows }, { kind }) => kind === 'stop' || past.length === 0 || budgetAllows);
  });

  it('a wait ends before the deadline, and is no longer than the policy and the agents ask for', () => {
    always(({ leftMs, policy, round }, step) => {
      if (step.kind !== 'wait') return true;
      const most = Math.max(50, policy.backoffBaseMs * policy.backoffFactor ** round);
      return step.delayMs >= 0 && step.delayMs < leftMs && step.delayMs <= most;
    });
  });
});
