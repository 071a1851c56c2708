import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StateChange } from '../../src/health/state-change.js';
import { ChangeWindow } from '../../src/live/change-window.js';

const STATES = ['up', 'degraded', 'down', null] as const;

function change(
  from: StateChange['from'],
  to: StateChange['to'],
  more: Partial<StateChange> = {},
): StateChange {
  const about = { agentName: 'reports', instanceId: 'a', addrVersion: 1, atMs: 0 };
  return { ...about, from, to, reason: `${from} to ${to}`, ...more };
}

function merged(window: ChangeWindow, ...changes: StateChange[]): StateChange[] {
  for (const it of changes) window.add(it);
  return window.take();
}

/** A window in which an instance is known to be up. */
function afterUp(): ChangeWindow {
  const window = new ChangeWindow();
  merged(window, change(null, 'up'));
  return window;
}

test('what happens to one instance is one change, from its first state to its last, with the last reason', () => {
  const changes = merged(
    afterUp(),
    change('up', 'degraded', { atMs: 1 }),
    change('degraded', 'down', { atMs: 2, reason: '3 probes failed' }),
  );
  expect(changes).toEqual([change('up', 'down', { atMs: 2, reason: '3 probes failed' })]);
});

test('an instance that flaps within the window, or comes and goes in it, is told nothing of', () => {
  expect(merged(afterUp(), change('up', 'down'), change('down', 'up'))).toEqual([]);
  expect(merged(new ChangeWindow(), change(null, 'up'), change('up', null))).toEqual([]);
});

test('a new address is a change, though the state is as before', () => {
  const moved = change('up', 'up', { addrVersion: 2 });
  expect(merged(afterUp(), moved)).toEqual([moved]);
  const returned = merged(afterUp(), change('up', null), change(null, 'up', { addrVersion: 3 }));
  expect(returned).toMatchObject([{ from: 'up', to: 'up', addrVersion: 3 }]);
});

test('other instances are changes of their own, in the order in which they began', () => {
  const b = change(null, 'up', { instanceId: 'b' });
  const c = change(null, 'down', { agentName: 'orders' });
  expect(merged(afterUp(), b, c, change('up', 'down'))).toEqual([b, c, change('up', 'down')]);
});

/** What somebody knows who follows changes. */
class Replay {
  readonly states = new Map<string, string>();

  apply({ agentName, instanceId, from, to, addrVersion }: StateChange): void {
    const key = `${agentName} ${instanceId}`;
    expect(this.states.get(key)?.split(' ')[0] ?? null).toBe(from);
    if (to === null) this.states.delete(key);
    else this.states.set(key, `${to} ${addrVersion}`);
  }
}

interface Step {
  readonly agent: string;
  readonly to: (typeof STATES)[number];
  readonly moves: boolean;
  readonly windowEnds: boolean;
}

/** Raw changes as health tells them: each begins where the one before it ended. */
function rawChanges(steps: readonly Step[]): (StateChange | 'window ends')[] {
  const known = new Map<string, { state: StateChange['to']; addrVersion: number }>();
  let versions = 0;
  return steps.flatMap(({ agent, to, moves, windowEnds }) => {
    const before = known.get(agent) ?? { state: null, addrVersion: 0 };
    const comes = before.state === null && to !== null;
    if (moves || comes) versions += 1;
    const addrVersion = to !== null && (moves || comes) ? versions : before.addrVersion;
    known.set(agent, { state: to, addrVersion });
    const end = windowEnds ? (['window ends'] as const) : [];
    if (before.state === to && before.addrVersion === addrVersion) return end;
    return [change(before.state, to, { agentName: agent, addrVersion }), ...end];
  });
}

test('the merged changes, replayed, tell the same as the raw ones after each window, and nothing that is no change', () => {
  const step = fc.record({
    agent: fc.constantFrom('a', 'b', 'c'),
    to: fc.constantFrom(...STATES),
    moves: fc.boolean(),
    windowEnds: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const window = new ChangeWindow();
      const [raw, told] = [new Replay(), new Replay()];
      for (const it of [...rawChanges(steps), 'window ends' as const]) {
        if (it !== 'window ends') {
          raw.apply(it);
          window.add(it);
          continue;
        }
        for (const one of window.take()) {
          const before = new Map(told.states);
          told.apply(one);
          expect(told.states).not.toEqual(before);
        }
        expect(told.states).toEqual(raw.states);
      }
    }),
    { numRuns: 500 },
  );
});
