import { describe, expect, test } from 'vitest';
import { type EndedRequest, withRound } from '../../src/sessions/round.js';
import { fits, sessionOf } from '../../src/sessions/session.js';

function ended(extra: Partial<EndedRequest> = {}): EndedRequest {
  const decision = { routeId: 'r1', outcome: 'routed', targetAgent: 'a', capabilityId: 'b' } as const;
  return { at: 'now', request: { intent: 'do it' }, answer: {}, decision, affinity: undefined, ...extra };
}

const empty = sessionOf('s', 0);

describe('after a round', () => {
  test('a session has it, with what the agent said and keeps, and whom it stays with', () => {
    const session = withRound(
      { ...empty, entities: { kept: 1, changed: 1 } },
      ended({
        request: { intent: ' do it ', userId: 'u' },
        answer: { reply: 'done', entities: { changed: 2 } },
        affinity: { agentName: 'a', version: '2' },
      }),
    );
    expect(session).toMatchObject({
      userId: 'u',
      intent: 'do it',
      entities: { kept: 1, changed: 2 },
      rounds: [{ at: 'now', intent: 'do it', agentName: 'a', capabilityId: 'b', reply: 'done' }],
      affinity: { agentName: 'a', version: '2' },
    });
  });

  test('the last three are kept', () => {
    const intents = ['1', '2', '3', '4'];
    const session = intents.reduce(
      (before, intent) => withRound(before, ended({ request: { intent } })),
      empty,
    );
    expect(session.rounds.map(({ intent }) => intent)).toEqual(['2', '3', '4']);
  });

  test('a follow-up leaves the intent that stands, so that the next one goes on with it too', () => {
    const first = withRound(empty, ended());
    const { decision } = ended();
    const next = ended({ request: { intent: 'and that?' }, decision: { ...decision, resumed: true } });
    expect(withRound(first, next)).toMatchObject({ intent: 'do it', rounds: [{}, { intent: 'and that?' }] });
  });

  test('a question is open until the next round, which has the intent that was asked about', () => {
    const choices = [{ agentName: 'a', capabilityId: 'b', name: 'B', confidence: 0.4 }];
    const question = { routeId: 'r1', outcome: 'clarify', targetAgent: null, capabilityId: null } as const;
    const asked = withRound(empty, ended({ decision: { ...question, choices } }));
    expect(asked.confirmations).toEqual([
      { routeId: 'r1', choices: [{ agentName: 'a', capabilityId: 'b', name: 'B' }] },
    ]);
    const answered = withRound(asked, ended({ request: { routeId: 'r1' } }));
    expect(answered).toMatchObject({ intent: 'do it', confirmations: [], rounds: [{}, { intent: 'do it' }] });
  });

  test('one that nobody completed leaves whom the session stays with', () => {
    const affinity = { agentName: 'a', version: null };
    expect(withRound({ ...empty, affinity }, ended()).affinity).toEqual(affinity);
  });

  test('what makes the session too large is left out: entities, then the rounds before', () => {
    const entities = { large: 'x'.repeat(70_000) };
    const without = withRound({ ...empty, entities: { kept: 1 } }, ended({ answer: { entities } }));
    expect(without).toMatchObject({ entities: { kept: 1 }, rounds: [{ intent: 'do it' }] });
    const long = ended({ request: { intent: '好'.repeat(5_000) }, answer: { reply: '好'.repeat(5_000) } });
    const nearlyFull = { ...empty, summary: 'x'.repeat(40_000) };
    const twice = withRound(withRound(nearlyFull, long), long);
    expect(twice.rounds).toHaveLength(1);
    expect(fits(twice)).toBe(true);
  });
});
