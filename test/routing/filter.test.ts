import { expect, test } from 'vitest';
import { filteredBy } from '../../src/routing/filter.js';
import { indexed } from '../support/candidates.js';

const capability = indexed({
  agent: 'reports',
  tags: ['kpi', 'report'],
  labels: { env: 'prod' },
  team: 'default',
});

test('a capability that meets every part of the filter may be chosen', () => {
  const filter = { agents: ['reports'], tags: ['kpi'], labels: { env: 'prod' }, team: 'default' };
  expect(filteredBy(capability, filter)).toBeUndefined();
  expect(filteredBy(capability, {})).toBeUndefined();
});

test.each([
  [{ agents: ['orders'] }, 'filter: not one of the agents asked for'],
  [{ agents: [] }, 'filter: not one of the agents asked for'],
  [{ tags: ['kpi', 'hr'] }, 'filter: has no tag hr'],
  [{ labels: { env: 'staging' } }, 'filter: label env is prod, not staging'],
  [{ labels: { region: 'east' } }, 'filter: label region is not set, not east'],
  [{ team: 'sales' }, 'filter: team is default'],
])('says which part of %j is not met', (filter, reason) => {
  expect(filteredBy(capability, filter)).toBe(reason);
});

test('an agent that is not visible to the caller is never chosen', () => {
  const hidden = indexed({ team: 'finance', visibleTo: ['finance'] });
  expect(filteredBy(hidden, {})).toBe('not visible to team default');
  expect(filteredBy(indexed({ team: 'finance', visibleTo: ['default'] }), {})).toBeUndefined();
});
