import { expect, test } from 'vitest';
import { keyOfTarget, missingNames } from '../../src/rules/rule-names.js';
import { manifestOf } from '../support/candidates.js';
import { rulesOf } from '../support/rules.js';

const agents = new Map(
  [manifestOf('mail', [{ id: 'send' }]), manifestOf('orders', [{ id: 'a/b' }, { id: 'query' }])].map(
    (manifest) => [manifest.agentName, { manifest }],
  ),
);

test('a target is a capability, or an agent with one', () => {
  expect(keyOfTarget('mail', { agents })).toBe('mail/send');
  expect(keyOfTarget('orders', { agents })).toBeUndefined();
  expect(keyOfTarget('gone', { agents })).toBeUndefined();
  expect(keyOfTarget('orders/a/b', { agents })).toBe('orders/a/b');
});

test('every name that the catalogue lacks is told with what becomes of the rule', () => {
  const rules = rulesOf(
    { id: 'fine', target: 'mail', fallback: 'orders/a/b' },
    { id: 'set', when: { capability: 'orders/query', agent: 'orders' }, threshold: 0.5 },
    { id: 'several', target: 'orders' },
    { id: 'gone', target: 'orders/other', fallback: 'pigeon' },
    { id: 'never', when: { agent: 'pigeon', capability: 'mail/other' }, timeout_ms: 5 },
  );
  expect(missingNames(rules, { agents }).map(({ sentence }) => sentence)).toEqual([
    'Rule several: target orders has 2 capabilities, not one. The rule is passed over.',
    'Rule gone: target orders/other is not in the catalogue. The rule is passed over.',
    'Rule gone: fallback pigeon is not in the catalogue. The rule has no fallback.',
    'Rule never: when.agent pigeon is not in the catalogue. The rule never counts.',
    'Rule never: when.capability mail/other is not in the catalogue. The rule never counts.',
  ]);
});
