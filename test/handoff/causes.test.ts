import { describe, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { Causes } from '../../src/handoff/causes.js';
import type { Occasion } from '../../src/handoff/occasion.js';
import type { DispatchRequest } from '../../src/wire/dispatch.js';
import { HandClock } from '../support/hand-clock.js';
import { decision as routed } from '../support/stand-in-reach.js';
import { answer, answered, failedWith, HUMAN } from './occasions.js';

const causeOf = (occasion: Occasion) => new Causes(new HandClock()).of(occasion);
const human = (request: DispatchRequest = {}) =>
  answered(answer({ state: 'handed_off', decision: HUMAN }), request);
const handoff = (request: DispatchRequest = {}) => answered(answer({ state: 'handed_off' }), request);

const faults = [{ pointer: '/to', expected: 'a string', received: 'the number 4711' }];
const refusal = new ReachError('PAYLOAD_INVALID', 'received the number 4711', { errors: faults });
const refused = (request: DispatchRequest = {}): Occasion => ({
  ...answered(answer(), { capabilityId: 'report-agent/weekly-summary', ...request }),
  decision: undefined,
  answer: undefined,
  refusal,
});

describe('nobody is asked', () => {
  test.each([
    ['for what was completed', answer()],
    ['for what was cancelled', answer({ state: 'cancelled' })],
    [
      'where the caller is asked first',
      answer({ state: 'handed_off', decision: { ...routed, outcome: 'clarify' } }),
    ],
    [
      'for what another answer stands in for',
      failedWith('AGENT_FAILED', { state: 'completed', degraded: true }),
    ],
    ['for the first refused payload', failedWith('PAYLOAD_INVALID')],
    ['where there was no room', failedWith('OVERLOADED')],
  ])('%s', (_, given) => {
    expect(causeOf(answered(given))).toBeUndefined();
  });
});

describe('low confidence', () => {
  test('is a question of its own for each intent, folded', () => {
    const first = causeOf(human({ intent: 'Water  the PLANTS' }));
    expect(first).toMatchObject({ cause: 'low_confidence', sentence: HUMAN.reason });
    expect(causeOf(human({ intent: ' water the plants ' }))?.key).toBe(first?.key);
    expect(causeOf(human({ intent: 'water the flowers' }))?.key).not.toBe(first?.key);
  });
});

describe('an agent that asks for a person', () => {
  test('is asked about once a session, else once an intent', () => {
    const first = causeOf(handoff({ sessionId: 's1', intent: 'one' }));
    expect(first).toMatchObject({
      cause: 'agent_handoff',
      sentence: 'report-agent/weekly-summary asks for a person.',
    });
    expect(causeOf(handoff({ sessionId: 's1', intent: 'other' }))?.key).toBe(first?.key);
    expect(causeOf(handoff({ intent: 'one' }))?.key).not.toBe(first?.key);
    expect(causeOf(handoff({ intent: 'One' }))?.key).toBe(causeOf(handoff({ intent: 'one' }))?.key);
  });
});

describe('no way left', () => {
  test.each(['AGENT_UNREACHABLE', 'AGENT_FAILED', 'AGENT_NEEDS_AUTH', 'DEADLINE_EXCEEDED', 'RESULT_INVALID'])(
    'after %s, one question a capability, without the words of the agent',
    (code) => {
      const cause = causeOf(answered(failedWith(code), { intent: 'one' }));
      expect(cause?.cause).toBe('no_way_left');
      expect(cause?.sentence).toContain('report-agent/weekly-summary');
      expect(cause?.sentence).not.toContain('Ms Li');
      expect(causeOf(answered(failedWith(code), { intent: 'other' }))?.key).toBe(cause?.key);
    },
  );

  test('a request that was not decided on in time is no question', () => {
    const late = new ReachError('DEADLINE_EXCEEDED', 'It took longer.');
    expect(causeOf({ ...refused(), refusal: late })).toBeUndefined();
  });
});

describe('urgent requests that fail', () => {
  const urgent = () => answered(failedWith('AGENT_BUSY'), { lane: 'P0' });

  test('are one question from the third of a capability within a minute on', () => {
    const clock = new HandClock();
    const causes = new Causes(clock);
    const seen = [0, 20_000, 39_999, 1].map((passMs) => {
      clock.pass(passMs);
      return causes.of(urgent())?.cause;
    });
    expect(seen).toEqual(['no_way_left', 'no_way_left', 'p0_fail_fast', 'p0_fail_fast']);
  });

  test('are not where they are further apart, or not urgent', () => {
    const clock = new HandClock();
    const causes = new Causes(clock);
    for (let index = 0; index < 6; index += 1) {
      clock.pass(30_001);
      expect(causes.of(urgent())?.cause).toBe('no_way_left');
    }
    for (let index = 0; index < 6; index += 1) {
      expect(causes.of(answered(failedWith('AGENT_BUSY'), { lane: 'P1' }))?.cause).toBe('no_way_left');
    }
  });

  test('count where they find no room, though nothing was decided', () => {
    const causes = new Causes(new HandClock());
    const full: Occasion = {
      ...refused({ lane: 'P0' }),
      refusal: new ReachError('OVERLOADED', 'The queue is full.'),
    };
    expect([1, 2, 3].map(() => causes.of(full)?.cause)).toEqual([undefined, undefined, 'p0_fail_fast']);
  });
});

describe('a refusal that comes again', () => {
  test('is a question from the third of one caller within ten minutes on, without a value of the payload', () => {
    const clock = new HandClock();
    const causes = new Causes(clock);
    const seen = [0, 300_000, 299_999].map((passMs) => {
      clock.pass(passMs);
      return causes.of(refused({ userId: 'li' }));
    });
    expect(seen).toEqual([
      undefined,
      undefined,
      {
        cause: 'repeated_refusal',
        key: 'repeated_refusal report-agent/weekly-summary',
        sentence:
          'The same payload for report-agent/weekly-summary was refused 3 times: /to: expected a string.',
      },
    ]);
  });

  test('is told of an answer as of what was thrown, without a word of the agent', () => {
    const causes = new Causes(new HandClock());
    const complaint = [{ pointer: '/to', expected: 'somebody else than Ms Li', received: 'Ms Li' }];
    const error = { code: 'PAYLOAD_INVALID', detail: 'not Ms Li', retryable: false, errors: complaint };
    const given = answered(answer({ state: 'failed', error }));
    expect([1, 2, 3].map(() => causes.of(given)?.sentence)).toEqual([
      undefined,
      undefined,
      'The same payload for report-agent/weekly-summary was refused 3 times: by the agent.',
    ]);
  });

  test('has a sentence of some length, whatever the name of a field', () => {
    const causes = new Causes(new HandClock());
    const errors = [{ pointer: `/${'x'.repeat(1_000_000)}`, expected: 'no such field', received: 'x' }];
    const given = { ...refused(), refusal: new ReachError('PAYLOAD_INVALID', '', { errors }) };
    const sentences = [1, 2, 3].map(() => causes.of(given)?.sentence);
    expect(sentences[2]?.length).toBeLessThan(500);
  });

  test('is none for several callers, several faults, or after longer', () => {
    const clock = new HandClock();
    const causes = new Causes(clock);
    for (const userId of ['a', 'b', 'c', 'd']) expect(causes.of(refused({ userId }))).toBeUndefined();
    for (const pointer of ['/a', '/b', '/c', '/d']) {
      const other = new ReachError('PAYLOAD_INVALID', '', {
        errors: [{ pointer, expected: 'a string', received: 'x' }],
      });
      expect(causes.of({ ...refused(), refusal: other })).toBeUndefined();
    }
    for (let index = 0; index < 4; index += 1) {
      clock.pass(300_001);
      expect(causes.of(refused({ userId: 'z' }))).toBeUndefined();
    }
  });
});
