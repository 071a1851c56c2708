import { describe, expect, it } from 'vitest';
import type { InstanceView } from '../../src/health/instance-view.js';
import { type InstanceCall, InstanceChoice } from '../../src/routing/instance-choice.js';
import type { InstanceStrategies } from '../../src/routing/instance-strategy.js';
import { instance } from '../support/candidates.js';

const CALL: InstanceCall = {
  agentName: 'reports',
  capabilityId: 'weekly',
  strategy: undefined,
  sessionId: undefined,
  userId: undefined,
  turn: 0,
  region: undefined,
  hint: undefined,
  affinity: undefined,
};

const TURNS = 1_000;

/** How often each instance is chosen in so many turns, or for so many sessions. */
function shares(
  open: readonly InstanceView[],
  call: Partial<InstanceCall>,
  choice = new InstanceChoice(),
): Record<string, number> {
  const counts: Record<string, number> = {};
  for (let turn = 0; turn < TURNS; turn++) {
    const chosen = choice.choose(open, {
      ...CALL,
      turn,
      ...(call.strategy === 'sticky' && { sessionId: `s${turn}` }),
      ...call,
    });
    const id = chosen?.instanceId ?? 'nobody';
    counts[id] = (counts[id] ?? 0) + 1;
  }
  return counts;
}

const light = instance({ instanceId: 'light', weight: 25 });
const heavy = instance({ instanceId: 'heavy', weight: 75 });

describe('the strategies', () => {
  it.each([undefined, 'weighted_round_robin', 'weighted_random', 'sticky'])(
    '%s shares work out by weight',
    (strategy) => {
      const { light: few = 0, heavy: many = 0 } = shares([light, heavy], { strategy });
      expect(few + many).toBe(TURNS);
      expect(few).toBeGreaterThan(TURNS * 0.18);
      expect(few).toBeLessThan(TURNS * 0.32);
    },
  );

  it('weighted_round_robin never stays long with the same one of equals', () => {
    const open = [instance({ instanceId: 'a' }), instance({ instanceId: 'b' })];
    const choice = new InstanceChoice();
    const chosen = Array.from(
      { length: 100 },
      (_, turn) => choice.choose(open, { ...CALL, turn })?.instanceId,
    );
    expect(chosen.join('')).not.toMatch(/aaa|bbb/);
  });

  it('least_pending takes whoever has the least to do for its weight', () => {
    const busy = { ...heavy, pending: 8 };
    expect(shares([light, busy], { strategy: 'least_pending' })).toEqual({ light: TURNS });
    expect(shares([{ ...light, pending: 3 }, busy], { strategy: 'least_pending' })).toEqual({ heavy: TURNS });
  });

  it('sticky stays with one for a session, else for a user', () => {
    const open = ['a', 'b', 'c', 'd'].map((instanceId) => instance({ instanceId }));
    expect(Object.keys(shares(open, { strategy: 'sticky', sessionId: 'one' }))).toHaveLength(1);
    expect(Object.keys(shares(open, { strategy: 'sticky', sessionId: undefined, userId: 'u' }))).toHaveLength(
      1,
    );
    expect(Object.keys(shares(open, { strategy: 'sticky', sessionId: undefined }))).toHaveLength(4);
  });

  it('sticky moves nobody but whom it must when one goes', () => {
    const open = ['a', 'b', 'c', 'd'].map((instanceId) => instance({ instanceId }));
    const choice = new InstanceChoice();
    const chosenOf = (among: readonly InstanceView[]) =>
      Array.from(
        { length: 200 },
        (_, n) => choice.choose(among, { ...CALL, strategy: 'sticky', sessionId: `s${n}` })?.instanceId,
      );
    const before = chosenOf(open);
    const afterwards = chosenOf(open.slice(1));
    for (const [n, id] of before.entries()) if (id !== 'a') expect(afterwards[n]).toBe(id);
  });
});

describe('a strategy of the caller', () => {
  const named = (strategies: InstanceStrategies) =>
    shares([light, heavy], { strategy: 'own' }, new InstanceChoice(strategies));

  it('chooses, and is told what for', () => {
    const told: unknown[] = [];
    const choice = new InstanceChoice({
      own: {
        choose(open, call) {
          told.push(call);
          return open.at(-1);
        },
      },
    });
    expect(choice.choose([light, heavy], { ...CALL, strategy: 'own', sessionId: 's' })).toBe(heavy);
    expect(told).toMatchObject([{ agentName: 'reports', capabilityId: 'weekly', sessionId: 's', turn: 0 }]);
  });

  it.each<[string, InstanceStrategies]>([
    [
      'that throws',
      {
        own: {
          choose: () => {
            throw new Error('broken');
          },
        },
      },
    ],
    ['that names nobody', { own: { choose: () => undefined } }],
    ['that names somebody who is not open', { own: { choose: () => instance({ instanceId: 'gone' }) } }],
    ['that nobody knows', {}],
  ])('%s: the default one chooses', (_, strategies) => {
    expect(Object.keys(named(strategies)).sort()).toEqual(['heavy', 'light']);
  });

  it('that throws is told once, with what it threw', () => {
    const told: string[] = [];
    const own = {
      choose: () => {
        throw new Error('no such shard');
      },
    };
    const choice = new InstanceChoice({ own }, (message) => told.push(message));
    for (const turn of [0, 1]) choice.choose([light, heavy], { ...CALL, strategy: 'own', turn });
    expect(told).toEqual([expect.stringMatching(/own throws.*no such shard/)]);
  });

  it('does not take the place of a built-in one', () => {
    const choice = new InstanceChoice({ least_pending: { choose: ([first]) => first } });
    expect(choice.choose([{ ...light, pending: 9 }, heavy], { ...CALL, strategy: 'least_pending' })).toBe(
      heavy,
    );
  });
});

describe('who goes first, whatever the strategy', () => {
  const east = instance({ instanceId: 'east', region: 'east', version: '1' });
  const west = instance({ instanceId: 'west', region: 'west', version: '2' });
  const old = instance({ instanceId: 'old', region: 'north', version: '1' });
  const open = [east, west, old];
  const affinity = { agentName: 'reports', version: '2' };

  it.each<[string, Partial<InstanceCall>, string[]]>([
    ['the hinted one', { hint: 'old', region: 'west', affinity }, ['old']],
    ['those of the region', { region: 'east' }, ['east']],
    ['anybody, where the region has none', { region: 'south' }, ['east', 'old', 'west']],
    ['the version that served the session', { affinity, region: 'east' }, ['west']],
    [
      'of that version those of the region',
      { affinity: { ...affinity, version: '1' }, region: 'north' },
      ['old'],
    ],
    [
      'anybody, where that version is gone',
      { affinity: { ...affinity, version: '3' } },
      ['east', 'old', 'west'],
    ],
    [
      'anybody, where no version is known',
      { affinity: { ...affinity, version: null } },
      ['east', 'old', 'west'],
    ],
    [
      'anybody, where another agent served it',
      { affinity: { agentName: 'other', version: '2' } },
      ['east', 'old', 'west'],
    ],
  ])('%s', (_, call, expected) => {
    expect(Object.keys(shares(open, call)).sort()).toEqual(expected);
  });
});
