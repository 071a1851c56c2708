import { describe, expect, test } from 'vitest';
import type { InstanceView } from '../../src/health/instance-view.js';
import { decide } from '../../src/routing/decide.js';
import { groupsOf } from '../../src/routing/groups.js';
import { InstanceChoice } from '../../src/routing/instance-choice.js';
import { ruledFirst } from '../../src/routing/ruled-first.js';
import { type ScoredCandidate, unsearched } from '../../src/routing/scored-candidate.js';
import type { DecideInput } from '../../src/routing/verdict.js';
import { indexed, instance, kinship, scored } from '../support/candidates.js';
import { ruled, search } from '../support/rules.js';
import { testWeights } from '../support/weights.js';

type Rules = Parameters<typeof ruled>[0];

interface Options {
  readonly rules?: Rules;
  readonly ask?: Parameters<typeof ruled>[2];
  readonly candidates?: readonly ScoredCandidate[];
  /** Agents of which no instance can take work. */
  readonly down?: readonly string[];
  readonly threshold?: { readonly request?: number; readonly global?: number };
  readonly fallback?: DecideInput['fallback'];
  readonly missing?: readonly string[];
}

const reports = scored(9, { agent: 'reports', id: 'weekly' });
const orders = scored(1, { agent: 'orders', id: 'track' });
const chat = indexed({ agent: 'chat', id: 'talk' });
const CATALOGUE = [reports.indexed, orders.indexed, chat];
const ASKED = { withPayload: false, otherLanguage: 0 };

function decided({ candidates = [reports, orders], down = [], threshold = {}, ...options }: Options) {
  const rules = ruled(options.rules ?? [], CATALOGUE, options.ask ?? search());
  const found = { ...groupsOf(candidates, kinship(), ASKED, testWeights), filtered: [] };
  const state = (agentName: string): InstanceView['state'] => (down.includes(agentName) ? 'down' : 'up');
  return decide({
    groups: ruledFirst(found, rules).groups,
    filtered: [],
    payloadSent: options.missing !== undefined,
    missingOf: () => options.missing ?? [],
    threshold: { request: threshold.request, global: threshold.global ?? null },
    rules,
    fallback: options.fallback,
    topK: 5,
    explain: false,
    utility: {
      instancesOf: (agentName) => [instance({ agentName, state: state(agentName) })],
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
  });
}

describe('a rule of kind before', () => {
  const toOrders: Rules = [{ id: 'r', target: 'orders/track', timeout_ms: 700, fallback: 'chat/talk' }];

  test('sends the intent to its target, sure, and says so', () => {
    const decision = decided({ rules: toOrders });
    expect(decision).toMatchObject({
      outcome: 'routed',
      reason: 'The rule r sends this to orders/track, and a can take work.',
      targetAgent: 'orders',
      confidence: 1,
      ruleId: 'r',
      timeoutMs: 700,
    });
    expect(decision.candidates.map(({ agentName, excludedBy }) => [agentName, excludedBy])).toEqual([
      ['orders', undefined],
      ['reports', 'the rule r sends this to orders/track'],
    ]);
    // The target was found, too: its own relevance is kept.
    expect(decision.candidates[0]?.relevance).toBe(1);
  });

  test('sends to whom the search did not find', () => {
    expect(decided({ rules: [{ id: 'r', target: 'chat/talk' }] })).toMatchObject({ targetAgent: 'chat' });
    expect(decided({ rules: [{ id: 'r', target: 'chat/talk' }], candidates: [] })).toMatchObject({
      outcome: 'routed',
      targetAgent: 'chat',
    });
  });

  test('gives way to an example that only one group declares', () => {
    const declared = groupsOf([reports], kinship(), ASKED, testWeights).groups.map((group) => ({
      ...group,
      declared: true,
    }));
    const found = { groups: declared, inputs: undefined, filtered: [] };
    expect(ruledFirst(found, ruled(toOrders, CATALOGUE))).toBe(found);
  });

  test('has its fallback take over where the target cannot take work', () => {
    const decision = decided({ rules: toOrders, down: ['orders'] });
    expect(decision).toMatchObject({
      outcome: 'fallback',
      reason: expect.stringMatching(
        /^orders\/track fits, but no instance can take work now: \S+ is down \(.*\): the rule r sends it to chat\/talk\.$/,
      ),
      targetAgent: 'chat',
      ruleId: 'r',
      timeoutMs: 700,
    });
    expect(decision.candidates[0]?.excludedBy).toMatch(/^no instance can take work now: \S+ is down/);
  });

  test.each([
    ['it names no fallback', [{ id: 'r', target: 'orders/track' }], ['orders']],
    ['its fallback cannot either', toOrders, ['orders', 'chat']],
    ['its fallback is gone', [{ id: 'r', target: 'orders/track', fallback: 'gone/x' }], ['orders']],
  ] satisfies [string, Rules, string[]][])('is unreachable where %s', (_, rules, down) => {
    expect(decided({ rules, down })).toMatchObject({
      outcome: 'unreachable',
      targetAgent: 'orders',
      instanceId: null,
      ruleId: 'r',
    });
  });

  test('has no fallback in whom the filter rules out', () => {
    const ask = search({ filter: { agents: ['orders'] } });
    expect(decided({ rules: toOrders, down: ['orders'], ask }).outcome).toBe('unreachable');
  });

  test('asks for what the payload lacks of its target', () => {
    expect(decided({ rules: toOrders, missing: ['/id'] })).toMatchObject({
      outcome: 'clarify',
      targetAgent: 'orders',
      missingFields: ['/id'],
      ruleId: 'r',
    });
  });
});

describe('a rule of kind fallback', () => {
  const toChat: Rules = [{ id: 'f', kind: 'fallback', target: 'chat/talk', fallback: 'orders/track' }];
  const fallback = unsearched(orders.indexed);
  const unsure = { threshold: { request: 1 }, candidates: [reports] };

  test('is not asked where somebody is sure', () => {
    const decision = decided({ rules: toChat });
    expect(decision).toMatchObject({ outcome: 'routed', targetAgent: 'reports' });
    expect(decision).not.toHaveProperty('ruleId');
  });

  test('takes what nobody is sure of, before the fallback agent, with the confidence that there was', () => {
    const decision = decided({ ...unsure, rules: toChat, fallback });
    expect(decision).toMatchObject({ outcome: 'fallback', targetAgent: 'chat', ruleId: 'f', threshold: 1 });
    expect(decision.confidence).toBeLessThan(1);
    expect(decision.reason).toMatch(
      /^The best candidate has a confidence of .*: the rule f sends it to chat\/talk\.$/,
    );
  });

  test('is passed over where neither its target nor its fallback can take work: the next, the fallback agent, a human', () => {
    const rules: Rules = [...toChat, { id: 'g', kind: 'fallback', target: 'reports/weekly' }];
    expect(decided({ ...unsure, rules, down: ['chat'] })).toMatchObject({
      targetAgent: 'orders',
      ruleId: 'f',
    });
    expect(decided({ ...unsure, rules, down: ['chat', 'orders'] })).toMatchObject({
      targetAgent: 'reports',
      ruleId: 'g',
    });
    const last = decided({ ...unsure, rules: [], down: ['chat'], fallback });
    expect(last).toMatchObject({ outcome: 'fallback', targetAgent: 'orders' });
    expect(last).not.toHaveProperty('ruleId');
    const nobody = decided({ ...unsure, rules, down: ['chat', 'orders', 'reports'], fallback });
    expect(nobody).toMatchObject({ outcome: 'human', targetAgent: null });
  });
});

describe('a rule without a target', () => {
  const strict: Rules = [
    { id: 's', threshold: 0.9999, when: { agent: 'reports' }, timeout_ms: 300, fallback: 'chat/talk' },
  ];

  test('sets the threshold above that of the configuration, and under the others', () => {
    const [high, low] = [{ threshold: { global: 0.1 } }, [{ id: 's', threshold: 0.001 }] satisfies Rules];
    const refused = decided({ ...high, rules: strict });
    expect(refused).toMatchObject({ outcome: 'human', threshold: 0.9999, ruleId: 's' });
    expect(refused.candidates[0]?.excludedBy).toMatch(/^confidence 1\.00 < threshold 0\.9999 of the rule s$/);
    expect(decided({ rules: low, threshold: { global: 1 } })).toMatchObject({
      outcome: 'routed',
      threshold: 0.001,
    });
    expect(decided({ rules: strict, threshold: { request: 0.5 } })).toMatchObject({ threshold: 0.5 });
    const own = scored(9, { agent: 'reports', id: 'weekly', threshold: 0.6 });
    expect(decided({ rules: strict, candidates: [own] })).toMatchObject({
      outcome: 'routed',
      threshold: 0.6,
    });
  });

  test('sets the time that the call may take, and the fallback, of what semantics chose', () => {
    const rules: Rules = [{ id: 's', timeout_ms: 300, fallback: 'chat/talk', when: { agent: 'reports' } }];
    expect(decided({ rules })).toMatchObject({ targetAgent: 'reports', ruleId: 's', timeoutMs: 300 });
    expect(decided({ rules, down: ['reports'] })).toMatchObject({
      outcome: 'fallback',
      targetAgent: 'chat',
      ruleId: 's',
      timeoutMs: 300,
    });
    expect(decided({ rules, candidates: [orders] })).not.toHaveProperty('timeoutMs');
  });

  test('sets the time and the fallback for the target of a rule that says none', () => {
    const rules: Rules = [
      { id: 'r', target: 'reports/weekly' },
      { id: 's', timeout_ms: 300, fallback: 'chat/talk', when: { agent: 'reports' } },
    ];
    expect(decided({ rules })).toMatchObject({ ruleId: 'r', timeoutMs: 300 });
    expect(decided({ rules, down: ['reports'] })).toMatchObject({ targetAgent: 'chat', ruleId: 's' });
  });
});
