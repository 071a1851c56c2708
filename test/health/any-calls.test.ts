import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BREAKER_OPEN_MS } from '../../src/health/breaker.js';
import { Breakers } from '../../src/health/breakers.js';
import type { CallOutcome } from '../../src/health/instance-view.js';

type Outcome = CallOutcome['outcome'];

const FAILURES: readonly Outcome[] = ['failed', 'timeout', 'unreachable'];
const SAYS_NOTHING: readonly Outcome[] = ['refused', 'busy', 'needs_auth', 'cancelled'];
/** Within it nothing that was counted is forgotten. */
const WINDOW_MS = 240_000;

/** The diagram, as the design draws it. */
type Diagram =
  | { readonly at: 'closed'; readonly calls: number; readonly failures: number }
  | { readonly at: 'open'; readonly untilMs: number }
  | { readonly at: 'half-open, on trial'; readonly trial: number };

const closed = (): Diagram => ({ at: 'closed', calls: 0, failures: 0 });

function begun(state: Diagram, call: number, nowMs: number): Diagram {
  const lets = state.at === 'open' && nowMs >= state.untilMs;
  return lets ? { at: 'half-open, on trial', trial: call } : state;
}

function ended(state: Diagram, call: number, outcome: Outcome, nowMs: number): Diagram {
  const opened: Diagram = { at: 'open', untilMs: nowMs + BREAKER_OPEN_MS };
  if (state.at === 'half-open, on trial' && state.trial === call) {
    if (outcome === 'completed') return closed();
    return SAYS_NOTHING.includes(outcome) ? { at: 'open', untilMs: nowMs } : opened;
  }
  if (state.at !== 'closed' || SAYS_NOTHING.includes(outcome)) return state;
  const calls = state.calls + 1;
  const failures = state.failures + (FAILURES.includes(outcome) ? 1 : 0);
  return calls >= 10 && failures >= 0.4 * calls ? opened : { at: 'closed', calls, failures };
}

const blocks = (state: Diagram, nowMs: number) =>
  state.at === 'half-open, on trial' || (state.at === 'open' && nowMs < state.untilMs);

const outcome = fc.oneof(
  { weight: 3, arbitrary: fc.constant('completed' as const) },
  { weight: 4, arbitrary: fc.constantFrom(...FAILURES) },
  { weight: 1, arbitrary: fc.constantFrom(...SAYS_NOTHING) },
);
const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ kind: 'begin' as const }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(1_000), outcome }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('calls' as const), times: fc.nat(12), outcome }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.oneof(fc.nat(2_000), fc.constantFrom(BREAKER_OPEN_MS - 1, BREAKER_OPEN_MS)),
    }),
  },
);

it('a breaker stuck half-open, or flooded then: no order of calls, ends and waits takes a breaker off its diagram', () => {
  let [openings, trials] = [0, 0];
  fc.assert(
    fc.property(fc.array(step, { minLength: 20, maxLength: 80 }), (steps) => {
      const breakers = new Breakers();
      const running = new Map<number, (outcome: Outcome, nowMs: number) => void>();
      let state = closed();
      let nowMs = 0;
      let calls = 0;
      const begin = () => {
        calls += 1;
        running.set(calls, breakers.begin('weekly', nowMs));
        state = begun(state, calls, nowMs);
        return calls;
      };
      const end = (call: number, how: Outcome) => {
        running.get(call)?.(how, nowMs);
        running.delete(call);
        const before: string = state.at;
        state = ended(state, call, how, nowMs);
        if (before === 'closed' && state.at === 'open') openings += 1;
        if (before === 'half-open, on trial' && state.at !== before) trials += 1;
      };
      for (const each of steps) {
        if (each.kind === 'begin') begin();
        if (each.kind === 'end') {
          const call = [...running.keys()][each.which % Math.max(1, running.size)];
          if (call !== undefined) end(call, each.outcome);
        }
        if (each.kind === 'calls') for (let i = 0; i < each.times; i += 1) end(begin(), each.outcome);
        if (each.kind === 'pass' && nowMs + each.ms < WINDOW_MS) nowMs += each.ms;
        expect([...breakers.blocked(nowMs)]).toEqual(blocks(state, nowMs) ? ['weekly'] : []);
      }
    }),
    { numRuns: 1_000 },
  );
  // Otherwise the interesting parts of the diagram were never walked.
  expect(openings).toBeGreaterThan(100);
  expect(trials).toBeGreaterThan(100);
});
