import { describe, expect, it } from 'vitest';
import { nextStep, type PlanState, type TriedInstance } from '../../src/dispatch/retry-plan.js';
import type { ErrorCode } from '../../src/errors.js';
import type { InstanceView } from '../../src/health/instance-view.js';
import { instance as anInstance } from '../support/candidates.js';

const instance = (instanceId: string, overrides: Partial<InstanceView> = {}) =>
  anInstance({ instanceId, ...overrides });

function failedOn(instanceId: string, code: ErrorCode, mayHaveExecuted: boolean): TriedInstance {
  const kind = code === 'DEADLINE_EXCEEDED' ? 'timeout' : 'failed';
  const unreached = code === 'AGENT_UNREACHABLE';
  const retryAfterMs = undefined;
  return { instanceId, answer: { kind, code, detail: '', unreached, mayHaveExecuted, retryAfterMs } };
}

const completed: TriedInstance = {
  instanceId: 'a',
  answer: { kind: 'completed', result: 1, reply: undefined, needHumanHandoff: false },
};
const refused: TriedInstance = { instanceId: 'a', answer: { kind: 'refused', detail: '', errors: [] } };

const [a, b, c] = [instance('a'), instance('b'), instance('c')];
const unreachable = failedOn('a', 'AGENT_UNREACHABLE', false);
const broken = failedOn('a', 'AGENT_FAILED', true);

const BEFORE: PlanState = {
  capabilityId: 'weekly',
  preferredId: 'b',
  instances: [a, b, c],
  tried: [],
  idempotent: false,
  leftMs: 1_000,
};

/** The instance of the next attempt, or why there is none. */
function stepOf(state: Partial<PlanState>): string {
  const step = nextStep({ ...BEFORE, ...state });
  return step.kind === 'attempt' ? `attempt on ${step.instance.instanceId}` : step.reason;
}

describe('the first attempt', () => {
  it.each<[string, Partial<PlanState>, string]>([
    ['on the instance of the decision', {}, 'attempt on b'],
    ['elsewhere, if that is gone', { instances: [a, c] }, 'attempt on a'],
    ['elsewhere, if that is down', { instances: [a, instance('b', { state: 'down' })] }, 'attempt on a'],
    ['elsewhere, if that has weight 0', { instances: [instance('b', { weight: 0 }), c] }, 'attempt on c'],
    ['anywhere, if the decision names none', { preferredId: null }, 'attempt on a'],
    [
      'elsewhere, if its capability fails there',
      { instances: [instance('b', { blocked: new Set(['weekly']) }), c] },
      'attempt on c',
    ],
    [
      'there, if only another capability fails there',
      { instances: [c, instance('b', { blocked: new Set(['monthly']) })] },
      'attempt on b',
    ],
    ['elsewhere, if that is busy', { instances: [instance('b', { state: 'busy' }), c] }, 'attempt on c'],
    [
      'elsewhere, if that is suspect',
      { instances: [instance('b', { state: 'degraded', suspect: true }), c] },
      'attempt on c',
    ],
    [
      'on a busy one, if all others are down',
      { instances: [instance('b', { state: 'busy' }), instance('c', { state: 'down' })] },
      'attempt on b',
    ],
    ['nowhere, if there is no instance', { instances: [] }, 'no_instance'],
    ['nowhere, if none is eligible', { instances: [instance('a', { state: 'paused' })] }, 'no_instance'],
    ['nowhere, if no time is left', { leftMs: 0.5 }, 'no_time'],
  ])('%s', (_, state, expected) => {
    expect(stepOf(state)).toBe(expected);
  });

  it.each<[string, InstanceView[], string]>([
    ['the heavier', [instance('x', { weight: 10 }), instance('y', { weight: 30 })], 'attempt on y'],
    ['the better reachable', [instance('x', { reachability: 0.5 }), instance('y')], 'attempt on y'],
    ['the less loaded', [instance('x', { pending: 3 }), instance('y', { pending: 1 })], 'attempt on y'],
    ['the first of equals', [instance('x'), instance('y')], 'attempt on x'],
  ])('prefers %s', (_, instances, expected) => {
    expect(stepOf({ preferredId: null, instances })).toBe(expected);
  });
});

describe('after an attempt', () => {
  it.each<[string, Partial<PlanState>, string]>([
    ['completed', { tried: [completed] }, 'answered'],
    ['refused', { tried: [refused], idempotent: true }, 'answered'],
    ['not executed', { tried: [unreachable] }, 'attempt on b'],
    ['busy', { tried: [failedOn('a', 'AGENT_BUSY', false)] }, 'attempt on b'],
    ['capability gone', { tried: [failedOn('a', 'AGENT_FAILED', false)] }, 'attempt on b'],
    ['perhaps executed', { tried: [broken] }, 'not_repeatable'],
    ['perhaps executed, idempotent', { tried: [broken], idempotent: true }, 'attempt on b'],
    ['unreadable', { tried: [failedOn('a', 'AGENT_PROTOCOL', true)] }, 'not_repeatable'],
    [
      'unreadable, idempotent',
      { tried: [failedOn('a', 'AGENT_PROTOCOL', true)], idempotent: true },
      'attempt on b',
    ],
    [
      'timed out, idempotent',
      { tried: [failedOn('a', 'DEADLINE_EXCEEDED', true)], idempotent: true, leftMs: 0 },
      'no_time',
    ],
    ['no login', { tried: [failedOn('a', 'AGENT_NEEDS_AUTH', false)], idempotent: true }, 'not_repeatable'],
    ['no other instance', { tried: [unreachable], instances: [a] }, 'no_instance'],
    ['no time', { tried: [unreachable], leftMs: 0 }, 'no_time'],
    ['two attempts', { tried: [unreachable, failedOn('b', 'AGENT_BUSY', false)] }, 'attempts_used'],
    ['never the same, even if preferred', { tried: [failedOn('b', 'AGENT_BUSY', false)] }, 'attempt on a'],
  ])('%s', (_, state, expected) => {
    expect(stepOf(state)).toBe(expected);
  });
});
