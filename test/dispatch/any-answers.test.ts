import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { AgentAnswer } from '../../src/transport/agent-transport.js';
import { instancesAt, setUp } from '../support/dispatching.js';
import { MemoryLife } from '../support/request-life.js';
import { ScriptedTransport } from '../support/scripted-transport.js';

type Failure = Extract<AgentAnswer, { kind: 'failed' | 'timeout' }>;

const failure = (overrides: Partial<Failure>): Failure => ({
  kind: 'failed',
  code: 'AGENT_FAILED',
  detail: 'no',
  unreached: false,
  mayHaveExecuted: false,
  retryAfterMs: undefined,
  ...overrides,
});

const anyAnswer = fc.constantFrom<AgentAnswer>(
  { kind: 'completed', result: 1, reply: undefined, entities: undefined, needHumanHandoff: false },
  { kind: 'completed', result: 1, reply: undefined, entities: undefined, needHumanHandoff: true },
  { kind: 'refused', detail: 'no', errors: [] },
  { kind: 'accepted', queueRemaining: undefined, estimatedDelayMs: undefined },
  failure({ code: 'AGENT_UNREACHABLE', unreached: true }),
  failure({ code: 'AGENT_BUSY' }),
  failure({ code: 'AGENT_NEEDS_AUTH' }),
  failure({ mayHaveExecuted: true }),
  failure({ kind: 'timeout', code: 'DEADLINE_EXCEEDED', mayHaveExecuted: true }),
);

const anyCase = fc.record({
  answers: fc.array(anyAnswer, { minLength: 1, maxLength: 40 }),
  idempotent: fc.boolean(),
  standInIdempotent: fc.boolean(),
  instances: fc.integer({ min: 0, max: 3 }),
  requests: fc.integer({ min: 1, max: 6 }),
  maxAttempts: fc.integer({ min: 1, max: 10 }),
  /** After so many calls the requests are cancelled. */
  cancelAfter: fc.option(fc.nat(6), { nil: undefined }),
  takesReplies: fc.boolean(),
});

const MAY_HAVE_EXECUTED = new Set(['AGENT_FAILED', 'DEADLINE_EXCEEDED', 'AGENT_PROTOCOL']);

/** The instances that a request was delivered to, by rounds. */
function roundsOf({ states, deliveries }: MemoryLife): string[][] {
  const rounds: string[][] = [[]];
  let delivered = 0;
  for (const state of states) {
    if (state === 'retry_waiting') rounds.push([]);
    if (state !== 'delivered') continue;
    const delivery = deliveries[delivered];
    delivered += 1;
    rounds.at(-1)?.push(`${delivery?.agentName}/${delivery?.instanceId}`);
  }
  return rounds;
}

it('whatever agents answer: one end, within the diagram of states, no repeat that is not allowed, nothing left taken', async () => {
  await fc.assert(
    fc.asyncProperty(anyCase, async (given) => {
      const { answers, idempotent, standInIdempotent, maxAttempts, cancelAfter, takesReplies } = given;
      const cancel = new AbortController();
      let calls = 0;
      const transport = new ScriptedTransport(async () => {
        if (calls === cancelAfter) cancel.abort();
        calls += 1;
        return answers[calls % answers.length] as AgentAnswer;
      });
      const addresses = ['http://127.0.0.1:1/a', 'http://127.0.0.1:1/b', 'http://127.0.0.1:1/c'];
      const size = { slots: 1, queue: 2 };
      const { dispatcher, table } = setUp({
        instances: addresses.slice(0, given.instances),
        transport,
        capability: { idempotent },
        lanes: { P0: size, P1: size, P2: size },
        standIns: ['other/weekly'],
        others: [
          {
            agentName: 'other',
            capabilities: [{ id: 'weekly', idempotent: standInIdempotent }],
            instances: instancesAt(addresses.slice(0, 2)),
          },
        ],
      });
      const request = {
        intent: 'x',
        deadlines: { executeMs: 200 },
        retryPolicy: { maxAttempts, backoffBaseMs: 1, backoffFactor: 1 },
      };
      const ended = await Promise.allSettled(
        Array.from({ length: given.requests }, async () => {
          const life = new MemoryLife({ signal: cancel.signal, takesReplies });
          const answer = await dispatcher.dispatch(request, life);
          return { answer, life };
        }),
      );
      for (const end of ended) {
        if (end.status === 'rejected') {
          expect(end.reason).toMatchObject({ code: 'OVERLOADED' });
          continue;
        }
        const { answer, life } = end.value;
        expect(answer.attempts.length).toBeLessThanOrEqual(maxAttempts);
        expect(life.deliveries).toHaveLength(answer.attempts.length);
        expect(['completed', 'failed', 'cancelled', 'handed_off']).toContain(answer.state);
        const isIdempotent = ({ agentName }: { readonly agentName: string }) =>
          agentName === 'reports' ? idempotent : standInIdempotent;
        for (const [place, attempt] of answer.attempts.slice(1).entries()) {
          const executed = answer.attempts
            .slice(0, place + 1)
            .filter(({ errorCode = '' }) => MAY_HAVE_EXECUTED.has(errorCode));
          if (executed.length > 0) expect([...executed, attempt].every(isIdempotent)).toBe(true);
        }
        for (const round of roundsOf(life)) expect(new Set(round).size).toBe(round.length);
      }
      expect(dispatcher.queues()).toEqual([]);
      for (const name of ['reports', 'other'])
        for (const view of table.instancesOf(name)) expect(view.pending).toBe(0);
    }),
    { numRuns: 60 },
  );
}, 120_000);
