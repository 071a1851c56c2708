import { describe, expect, test } from 'vitest';
import type { Ask } from '../../src/routing/read-request.js';
import type { RouteRequest } from '../../src/wire/route.js';
import { indexed } from '../support/candidates.js';
import { ruled, search } from '../support/rules.js';

const mail = indexed({ agent: 'mail', id: 'send', tags: ['office'], labels: { env: 'prod' } });
const orders = indexed({ agent: 'orders', id: 'query' });
const hidden = indexed({ agent: 'secret', id: 'x', team: 'other', visibleTo: ['other'] });
const catalogue = [mail, orders, hidden];

type Rules = Parameters<typeof ruled>[0];

const sent = (rules: Rules, ask: Ask) =>
  [...ruled(rules, catalogue, ask).sending('before')].map(({ rule }) => rule.id);

describe('a rule with a target', () => {
  const target = 'mail/send';

  test('holds for requests that fit all of its conditions', () => {
    const rules: Rules = [
      { id: 'all', target },
      { id: 'words', target, when: { intent: 'letter' } },
      { id: 'fields', target, when: { payload_fields: ['email_address', 'body'] } },
      { id: 'both', target, when: { intent: 'letter', payload_fields: ['body'] } },
      { id: 'agent', target, when: { agent: 'mail' } },
      { id: 'filter', target, when: { tags: ['office'], labels: { env: 'prod' } } },
    ];
    const asked = (request: RouteRequest) => sent(rules, search(request));
    expect(asked({ intent: 'Send a LETTER' })).toEqual(['all', 'words']);
    expect(asked({ payload: { emailAddress: 'x', body: 'y' } })).toEqual(['all', 'fields']);
    expect(asked({ payload: { body: 'y' } })).toEqual(['all']);
    expect(asked({ intent: 'a letter', payload: { body: null } })).toEqual(['all', 'words', 'both']);
    expect(asked({ agentName: 'mail' })).toEqual(['all', 'agent']);
    expect(asked({ filter: { tags: ['office', 'office'], labels: { env: 'prod' } } })).toEqual([
      'all',
      'filter',
    ]);
    expect(asked({ filter: { tags: ['office'] } })).toEqual(['all']);
  });

  test('is asked in the order of the rules', () => {
    const rules: Rules = [
      { id: 'late', target, order: 2 },
      { id: 'early', target, order: 1 },
      { id: 'first', target },
    ];
    expect(sent(rules, search())).toEqual(['first', 'early', 'late']);
  });

  test('sends nobody to whom the filter rules out, who is not visible, or who is gone', () => {
    const rules: Rules = [
      { id: 'filtered', target },
      { id: 'hidden', target: 'secret/x' },
      { id: 'gone', target: 'gone/x' },
      { id: 'left', target: 'orders/query' },
    ];
    expect(sent(rules, search({ filter: { agents: ['orders', 'secret'] } }))).toEqual(['left']);
  });

  test('leaves alone whoever names a capability, or an agent without an intent', () => {
    const request = { agentName: 'mail', capabilityId: 'send' };
    const rules: Rules = [{ id: 'all', target: 'orders/query' }];
    expect(sent(rules, { kind: 'capability', ...request, request })).toEqual([]);
    expect(sent(rules, { kind: 'agent', agentName: 'mail', request })).toEqual([]);
  });
});

describe('a rule without a target', () => {
  const settingFor = (rules: Rules, capability = mail, ask: Ask = search()) =>
    ruled(rules, catalogue, ask).settingFor(capability)?.rule.id;

  test('speaks of the capability that is judged, the first that does', () => {
    const rules: Rules = [
      { id: 'other', threshold: 0.5, when: { capability: 'orders/query' } },
      { id: 'words', threshold: 0.5, when: { agent: 'mail', intent: 'letter' } },
      { id: 'tagged', threshold: 0.5, when: { tags: ['office'], labels: { env: 'prod' } } },
      { id: 'agent', threshold: 0.5, when: { agent: 'mail' } },
    ];
    expect(settingFor(rules)).toBe('tagged');
    expect(settingFor(rules, mail, search({ intent: 'a letter' }))).toBe('words');
    expect(settingFor(rules, orders)).toBe('other');
    expect(settingFor(rules, indexed({ agent: 'mail', id: 'read' }))).toBe('agent');
    expect(settingFor(rules, hidden)).toBeUndefined();
  });

  test('speaks of a capability that the caller names, too', () => {
    const request = { agentName: 'mail', capabilityId: 'send' };
    const rules: Rules = [{ id: 'slow', timeout_ms: 5, when: { capability: 'mail/send' } }];
    expect(settingFor(rules, mail, { kind: 'capability', ...request, request })).toBe('slow');
  });
});
