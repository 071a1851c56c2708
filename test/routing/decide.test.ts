import { describe, expect, test } from 'vitest';
import type { InstanceView } from '../../src/health/instance-view.js';
import { decide } from '../../src/routing/decide.js';
import { standInsOf } from '../../src/routing/group-stand-ins.js';
import { groupsOf } from '../../src/routing/groups.js';
import { InstanceChoice } from '../../src/routing/instance-choice.js';
import type { ScoredCandidate } from '../../src/routing/scored-candidate.js';
import type { DecideInput } from '../../src/routing/verdict.js';
import type { Weights } from '../../src/routing/weights.js';
import { instance, kinship, scored } from '../support/candidates.js';
import { ruled } from '../support/rules.js';
import { testWeights } from '../support/weights.js';

interface Options extends Partial<Omit<DecideInput, 'threshold'>> {
  readonly threshold?: number;
  readonly global?: number;
  readonly instances?: Record<string, InstanceView[]>;
}

const ASKED = { withPayload: false, otherLanguage: 0 };

function inputOf(candidates: readonly ScoredCandidate[], options: Options = {}): DecideInput {
  const { threshold, global, instances = {}, ...rest } = options;
  return {
    groups: groupsOf(candidates, kinship(), ASKED, testWeights).groups,
    filtered: [],
    payloadSent: false,
    missingOf: () => [],
    fallback: undefined,
    rules: ruled([]),
    topK: 5,
    explain: false,
    utility: {
      instancesOf: (agentName) => instances[agentName] ?? [instance({ agentName })],
      prefer: {},
      region: undefined,
      hint: undefined,
      sessionId: undefined,
      userId: undefined,
      affinity: undefined,
      choice: new InstanceChoice(),
      turnOf: () => 0,
    },
    weights: testWeights,
    ...rest,
    threshold: { request: threshold, global: global ?? null },
  };
}

const weightsWith = (thresholds: Partial<Weights['thresholds']>): Weights => ({
  ...testWeights,
  thresholds: { ...testWeights.thresholds, ...thresholds },
});

const sure = scored(9, { agent: 'reports' });
const far = scored(1, { agent: 'orders', id: 'track' });

describe('outcome', () => {
  test('routed: the confidence reaches the threshold and an instance can take work', () => {
    const decision = decide(inputOf([sure, far]));
    expect(decision).toMatchObject({
      outcome: 'routed',
      targetAgent: 'reports',
      capabilityId: 'weekly',
      instanceId: 'a',
      targetAddress: 'http://127.0.0.1:9601',
      addrVersion: 1,
      threshold: 0.75,
    });
    expect(decision.confidence).toBeGreaterThan(0.99);
    expect(decision.candidates[0]?.excludedBy).toBeUndefined();
    expect(decision.candidates[1]?.excludedBy).toBe('less relevant than the best: 1.00 < 9.00');
  });

  test('clarify: two are too close, and together they would be sure', () => {
    const decision = decide(
      inputOf([sure, scored(8.9, { agent: 'orders', id: 'track' }), scored(1, { agent: 'x', id: 'y' })], {
        threshold: 0.99,
      }),
    );
    expect(decision.outcome).toBe('clarify');
    expect(decision.choices?.map(({ agentName }) => agentName)).toEqual(['reports', 'orders']);
    expect(decision.targetAgent).toBeNull();
    expect(decision.candidates.map(({ excludedBy }) => excludedBy)).toEqual([
      'too close to call',
      'too close to call',
      'less relevant than the best: 1.00 < 9.00',
    ]);
  });

  test('no clarify where only one is likely, however unsure: that is for the fallback', () => {
    const unsure = scored(3, { agent: 'reports' });
    const rivals = [scored(1, { agent: 'orders', id: 'track' }), scored(1, { agent: 'x', id: 'y' })];
    expect(decide(inputOf([unsure, ...rivals])).outcome).toBe('human');
  });

  test('clarify: of several that are close, no more than it takes to be sure', () => {
    const close = ['a', 'b', 'c', 'd'].map((id, place) => scored(9 - place / 100, { agent: id, id }));
    const choices = (threshold: number) =>
      decide(inputOf(close, { threshold })).choices?.map(({ agentName }) => agentName);
    expect(choices(0.5)).toEqual(['a', 'b']);
    expect(choices(0.7)).toEqual(['a', 'b', 'c']);
    expect(choices(0.99)).toEqual(['a', 'b', 'c', 'd']);
  });

  test('no clarify with one that is far less likely, though together they would be sure', () => {
    const rival = scored(7, { agent: 'orders', id: 'track' });
    expect(decide(inputOf([sure, rival], { threshold: 0.9 })).outcome).toBe('human');
  });

  test('clarify: a payload was sent that lacks required fields', () => {
    const input = inputOf([sure], {
      payloadSent: true,
      missingOf: () => ['/kpi_data', '/period/to'],
    });
    expect(decide(input)).toMatchObject({
      outcome: 'clarify',
      targetAgent: 'reports',
      capabilityId: 'weekly',
      instanceId: null,
      missingFields: ['/kpi_data', '/period/to'],
    });
  });

  test('without a payload the missing fields are only named', () => {
    const decision = decide(inputOf([sure], { missingOf: () => ['/kpi_data'] }));
    expect(decision).toMatchObject({ outcome: 'routed', missingFields: ['/kpi_data'] });
  });

  test('unreachable: sure, but nobody can take work', () => {
    const down = [instance({ state: 'down', reason: '3 probes failed: timeout', reachability: 0.1 })];
    const decision = decide(inputOf([sure, far], { instances: { reports: down } }));
    expect(decision).toMatchObject({
      outcome: 'unreachable',
      reason: 'reports/weekly fits, but no instance can take work now: a is down (3 probes failed: timeout).',
      targetAgent: 'reports',
      instanceId: null,
      retryAfterMs: 60_000,
    });
    expect(decision.candidates[0]?.excludedBy).toBe(
      'no instance can take work now: a is down (3 probes failed: timeout)',
    );
  });

  test('fallback: too unsure, and the configuration names an agent that can be reached', () => {
    const fallback = scored(0, { agent: 'chat', id: 'talk' });
    const decision = decide(inputOf([far], { fallback }));
    expect(decision).toMatchObject({
      outcome: 'fallback',
      targetAgent: 'chat',
      capabilityId: 'talk',
      instanceId: 'a',
    });
    expect(decision.ticketId).toBeUndefined();
    expect(decision.confidence).toBeLessThan(0.75);
  });

  test('nobody is sure after the fallback: each keeps the confidence that it had', () => {
    const rivals = [far, scored(0.5, { agent: 'reports' })];
    const fallback = scored(0, { agent: 'chat', id: 'talk' });
    const after = decide(inputOf(rivals, { fallback }));
    const { candidates, confidence } = decide(inputOf(rivals));
    expect(after.outcome).toBe('fallback');
    expect(after.confidence).toBe(confidence);
    expect(after.candidates).toEqual(candidates);
    expect(Math.max(...candidates.map((candidate) => candidate.confidence))).toBeLessThan(0.5);
  });

  test('human: too unsure, and no fallback, or one that cannot be reached', () => {
    expect(decide(inputOf([far]))).toMatchObject({ outcome: 'human', targetAgent: null, ticketId: null });
    const fallback = scored(0, { agent: 'chat', id: 'talk' });
    expect(decide(inputOf([far], { fallback, instances: { chat: [] } })).outcome).toBe('human');
  });

  test('human: an empty catalogue', () => {
    expect(decide(inputOf([]))).toMatchObject({ outcome: 'human', confidence: 0, candidates: [] });
  });
});

describe('threshold', () => {
  test('request > capability > weights for it > configuration > weights', () => {
    const own = scored(9, { agent: 'reports', threshold: 0.6 });
    const weights = weightsWith({ global: 0.1, by_capability: { 'orders/weekly': 0.3 } });
    const orders = scored(9, { agent: 'orders' });
    const plain = scored(9, { agent: 'plain' });
    expect(decide(inputOf([own], { threshold: 0.5, global: 0.2, weights })).threshold).toBe(0.5);
    expect(decide(inputOf([own], { global: 0.2, weights })).threshold).toBe(0.6);
    expect(decide(inputOf([orders], { global: 0.2, weights })).threshold).toBe(0.3);
    expect(decide(inputOf([plain], { global: 0.2, weights })).threshold).toBe(0.2);
    expect(decide(inputOf([plain], { weights })).threshold).toBe(0.1);
  });

  test('each member is judged by its own threshold', () => {
    const strict = scored(3, { agent: 'reports', threshold: 0.99, priority: 90 });
    const lenient = scored(3, { agent: 'twin', threshold: 0.5 });
    const decision = decide(inputOf([strict, lenient]));
    expect(decision).toMatchObject({ outcome: 'routed', targetAgent: 'twin', threshold: 0.5 });
    const [first] = decision.candidates;
    expect(first).toMatchObject({
      agentName: 'reports',
      excludedBy: expect.stringContaining('< threshold 0.99'),
    });
  });

  test.each<[string, ScoredCandidate, Options]>([
    ['a request', far, { threshold: 0 }],
    ['a capability', scored(1, { agent: 'orders', threshold: 0 }), {}],
    ['the weights for it', far, { weights: weightsWith({ by_capability: { 'orders/track': 0 } }) }],
    ['the configuration', far, { global: 0 }],
    ['the weights', far, { weights: weightsWith({ global: 0 }) }],
  ])('0 is a value in %s: the best is taken, whatever it is', (_, candidate, options) => {
    expect(decide(inputOf([far])).outcome).toBe('human');
    expect(decide(inputOf([candidate], options))).toMatchObject({ outcome: 'routed', threshold: 0 });
  });

  test('loosening that of one capability moves nobody else', () => {
    const others = [scored(3), scored(2, { agent: 'plain' })];
    const loosened = weightsWith({ by_capability: { 'orders/track': 0.01 } });
    const before = decide(inputOf([...others, far]));
    const after = decide(inputOf([...others, far], { weights: loosened }));
    expect(after).toEqual(before);
    expect(decide(inputOf([far], { weights: loosened }))).toMatchObject({
      outcome: 'routed',
      threshold: 0.01,
    });
  });
});

describe('utility', () => {
  const twin = scored(8, { agent: 'twin', id: 'weekly' });

  test('an equivalent that can be reached stands in', () => {
    const instances = { reports: [instance({ state: 'paused', reason: 'it paused by itself' })] };
    const decision = decide(inputOf([sure, twin, far], { instances }));
    expect(decision).toMatchObject({ outcome: 'routed', targetAgent: 'twin' });
    expect(decision.candidates.map((candidate) => candidate.excludedBy)).toEqual([
      undefined,
      'no instance can take work now: a is paused (it paused by itself)',
      expect.stringContaining('less relevant'),
    ]);
  });

  test('nothing irrelevant wins by being reachable', () => {
    const instances = { reports: [instance({ reachability: 0.1, state: 'degraded' })] };
    expect(decide(inputOf([sure, far], { instances })).targetAgent).toBe('reports');
  });

  test('between equals the higher priority goes first', () => {
    const urgent = scored(8, { agent: 'twin', id: 'weekly', priority: 90 });
    const decision = decide(inputOf([sure, urgent]));
    expect(decision.targetAgent).toBe('twin');
    expect(decision.candidates[1]?.excludedBy).toContain('equivalent to the chosen one');
  });

  test('a hinted instance goes first, where it can take work', () => {
    const both = [instance({ instanceId: 'a' }), instance({ instanceId: 'b', reachability: 0.7 })];
    const input = inputOf([sure], { instances: { reports: both } });
    expect(decide({ ...input, utility: { ...input.utility, hint: 'b' } }).instanceId).toBe('b');
    expect(decide({ ...input, utility: { ...input.utility, hint: 'gone' } }).instanceId).toBe('a');
  });

  test('instances of the region asked for go first, others only where there are none', () => {
    const both = [
      instance({ instanceId: 'a', region: 'east' }),
      instance({ instanceId: 'b', region: 'west', reachability: 0.7 }),
    ];
    const input = inputOf([sure], { instances: { reports: both } });
    expect(decide({ ...input, utility: { ...input.utility, region: 'west' } }).instanceId).toBe('b');
    expect(decide({ ...input, utility: { ...input.utility, region: 'north' } }).instanceId).toBe('a');
  });

  const takenBy = (instances: InstanceView[], turns: number) => {
    const input = inputOf([sure], { instances: { reports: instances } });
    return Array.from(
      { length: turns },
      (_, turn) => decide({ ...input, utility: { ...input.utility, turnOf: () => turn } }).instanceId,
    );
  };

  test('instances share the work by their weights, however fast each is', () => {
    const taken = takenBy(
      [
        instance({ instanceId: 'a', weight: 95, latencyMs: 12 }),
        instance({ instanceId: 'b', weight: 5, latencyMs: 10 }),
      ],
      1_000,
    );
    const share = taken.filter((id) => id === 'b').length / taken.length;
    expect(share).toBeCloseTo(0.05, 2);
  });

  test('equal instances take turns, never long the same one', () => {
    const taken = takenBy([instance({ instanceId: 'a' }), instance({ instanceId: 'b' })], 200);
    const runs = taken.join('').match(/a+|b+/g) ?? [];
    expect(Math.max(...runs.map((run) => run.length))).toBeLessThanOrEqual(2);
    expect(taken.filter((id) => id === 'a').length).toBe(100);
  });

  test('one that already works on something gets less', () => {
    const taken = takenBy([instance({ instanceId: 'a', pending: 9 }), instance({ instanceId: 'b' })], 1_100);
    expect(taken.filter((id) => id === 'a').length).toBeCloseTo(100, -1);
  });

  test('between equivalents the idle one goes first', () => {
    const busy = [instance({ pending: 9, maxConcurrency: 10 })];
    expect(decide(inputOf([sure, twin], { instances: { reports: busy } })).targetAgent).toBe('twin');
  });
});

describe('instances that are a last resort', () => {
  const ready = instance({ instanceId: 'ready', reachability: 0.2, pending: 9 });
  const lastResorts: [string, Partial<InstanceView>][] = [
    ['busy', { state: 'busy', reason: '5 calls are under way, of at most 5' }],
    ['suspect', { state: 'degraded', suspect: true, reason: 'a call found no connection, or lost it' }],
  ];

  test.each(lastResorts)(
    '%s: taken only where nobody else is ready, not even by hint or region',
    (_, options) => {
      const last = instance({ instanceId: 'last', region: 'east', ...options });
      const input = inputOf([sure], { instances: { reports: [last, ready] } });
      const utility = { ...input.utility, hint: 'last', region: 'east' };
      const chosen = Array.from({ length: 20 }, (_turn, turn) =>
        decide({ ...input, utility: { ...utility, turnOf: () => turn } }),
      );
      expect(new Set(chosen.map(({ instanceId }) => instanceId))).toEqual(new Set(['ready']));
      const alone = inputOf([sure], { instances: { reports: [last] } });
      expect(decide(alone)).toMatchObject({ outcome: 'routed', instanceId: 'last' });
    },
  );

  test.each(lastResorts)('%s: an equivalent agent with a ready instance goes first', (_, options) => {
    const last = instance({ instanceId: 'last', ...options });
    const poor = instance({ agentName: 'twin', reachability: 0.1, latencyMs: 60_000 });
    const decision = decide(
      inputOf([sure, scored(8, { agent: 'twin' })], { instances: { reports: [last], twin: [poor] } }),
    );
    expect(decision.targetAgent).toBe('twin');
    expect(decision.candidates[1]?.excludedBy).toBe(
      `equivalent to the chosen one, and last is only a last resort: ${options.reason}`,
    );
  });
});

describe('a capability that fails on an instance', () => {
  const failing = instance({ instanceId: 'a', blocked: new Set(['weekly']) });

  test('goes to another one', () => {
    const b = instance({ instanceId: 'b', reachability: 0.1 });
    expect(decide(inputOf([sure], { instances: { reports: [failing, b] } })).instanceId).toBe('b');
  });

  test('is unreachable where there is no other, for as long as the breaker is open', () => {
    expect(decide(inputOf([sure], { instances: { reports: [failing] } }))).toMatchObject({
      outcome: 'unreachable',
      reason: 'reports/weekly fits, but no instance can take work now: a failed too many calls of weekly.',
      retryAfterMs: 10_000,
    });
  });

  test('leaves the other capabilities of the instance alone', () => {
    const monthly = scored(9, { agent: 'reports', id: 'monthly' });
    expect(decide(inputOf([monthly], { instances: { reports: [failing] } })).outcome).toBe('routed');
  });
});

test('instances that can be reached so badly that none has a share still take turns', () => {
  const both = ['a', 'b'].map((instanceId) => instance({ instanceId, state: 'degraded', reachability: 0 }));
  const input = inputOf([sure], { instances: { reports: both } });
  const chosen = [0, 1, 2].map(
    (turn) => decide({ ...input, utility: { ...input.utility, turnOf: () => turn } }).instanceId,
  );
  expect(chosen).toEqual(['a', 'b', 'a']);
});

test('who cannot take work is named up to three, the others are counted', () => {
  const five = ['a', 'b', 'c', 'd', 'e'].map((instanceId) => instance({ instanceId, weight: 0 }));
  const reasons = [five, []].map(
    (instances) => decide(inputOf([sure], { instances: { reports: instances } })).candidates[0]?.excludedBy,
  );
  expect(reasons).toEqual([
    'no instance can take work now: a has weight 0, b has weight 0, c has weight 0, and 2 more',
    'no instance can take work now: there is none',
  ]);
});

describe('candidates', () => {
  test('at most top_k are listed, all of them and the filtered ones with explain', () => {
    const many = Array.from({ length: 9 }, (_, i) => scored(9 - i, { agent: `a${i}`, id: `c${i}` }));
    const filtered = [
      { candidate: scored(9.5, { agent: 'staging' }), reason: 'filter: label env is staging, not prod' },
    ];
    expect(decide(inputOf(many, { topK: 3, filtered })).candidates).toHaveLength(3);
    const explained = decide(inputOf(many, { topK: 3, filtered, explain: true })).candidates;
    expect(explained).toHaveLength(10);
    expect(explained.at(-1)).toMatchObject({
      agentName: 'staging',
      excludedBy: 'filter: label env is staging, not prod',
      score: 0,
    });
    expect(explained[0]?.signals).toHaveProperty('views_centroid');
  });
});

describe('the session stays with the agent that served it last', () => {
  const twins = [scored(9, { agent: 'reports' }), scored(9, { agent: 'twin' })];
  const views = (reachability: number) => ({
    reports: [instance({ agentName: 'reports' })],
    twin: [instance({ agentName: 'twin', reachability })],
  });
  const targetFor = (reachability: number, prefer: DecideInput['utility']['prefer'] = {}) => {
    const input = inputOf(twins, { instances: views(reachability) });
    const affinity = { agentName: 'twin', version: null };
    return decide({ ...input, utility: { ...input.utility, affinity, prefer } }).targetAgent;
  };

  test('where others are not much better reachable', () => {
    expect(decide(inputOf(twins, { instances: views(0.8) })).targetAgent).toBe('reports');
    expect(targetFor(0.8)).toBe('twin');
    expect(targetFor(0.5)).toBe('reports');
  });

  test('by as much as the caller prefers it', () => {
    expect(targetFor(0.8, { affinity: 0 })).toBe('reports');
    expect(targetFor(0.5, { affinity: 1 })).toBe('twin');
  });

  test('not where that cannot take work', () => {
    const input = inputOf(twins, { instances: { ...views(1), twin: [] } });
    const utility = { ...input.utility, affinity: { agentName: 'twin', version: null } };
    expect(decide({ ...input, utility }).targetAgent).toBe('reports');
  });
});

describe('who may stand in for the target', () => {
  const members = ['reports', 'second', 'third'].map((agent) => scored(9, { agent }));
  const instances = {
    reports: [instance({ agentName: 'reports' })],
    second: [instance({ agentName: 'second', reachability: 0.6 })],
    third: [instance({ agentName: 'third', reachability: 0.9 })],
  };
  const standIns = (options: Options = {}) => {
    const input = inputOf([...members, far], { instances, ...options });
    return standInsOf(decide(input), input);
  };

  test('the others of its group, the most useful first', () => {
    expect(standIns()).toEqual(['third/weekly', 'second/weekly']);
  });

  test('nobody of whom it is not sure', () => {
    const strict = scored(9, { agent: 'third', threshold: 1 });
    const input = inputOf([...members.slice(0, 2), strict, far], { instances });
    expect(standInsOf(decide(input), input)).toEqual(['second/weekly']);
  });

  test('nobody for whom the payload lacks something', () => {
    const missingOf: DecideInput['missingOf'] = ({ key }) => (key === 'third/weekly' ? ['/week'] : []);
    expect(standIns({ missingOf, payloadSent: true })).toEqual(['second/weekly']);
  });

  test('nobody where nothing is routed', () => {
    expect(standIns({ instances: { reports: [], second: [], third: [] } })).toEqual([]);
  });
});
