import { expect, test } from 'vitest';
import { decisionText, explanation } from '../../src/cli/decision-text.js';
import type { Decision } from '../../src/wire/route.js';
import { decision } from '../support/stand-in-reach.js';

const textOf = (changes: Partial<Decision>) => decisionText({ ...decision, ...changes }, 'capability');

const none = { targetAgent: null, capabilityId: null, instanceId: null, targetAddress: null };

test('routed is one line', () => {
  expect(textOf({})).toBe('routed report-agent/weekly-summary  confidence 0.91 >= 0.75  5.1 ms\n');
});

test('routed without a payload says what the target will need', () => {
  expect(textOf({ missingFields: ['/rows', '/week'] })).toBe(
    'routed report-agent/weekly-summary  confidence 0.91 >= 0.75  5.1 ms\nIt will need /rows, /week in the payload\n',
  );
});

test('clarify lists the choices and how to answer', () => {
  const clarify = {
    ...none,
    outcome: 'clarify' as const,
    reason: 'Two fit equally well.',
    confidence: 0.5,
    choices: [
      { agentName: 'report-agent', capabilityId: 'weekly-summary', name: '周报', confidence: 0.5 },
      { agentName: 'sheet-agent', capabilityId: 'pivot', name: 'Pivot', confidence: 0.48 },
    ],
  };
  expect(textOf(clarify)).toBe(
    [
      'clarify  confidence 0.50 < 0.75  5.1 ms',
      'Two fit equally well.',
      '  report-agent/weekly-summary  0.50  周报',
      '  sheet-agent/pivot  0.48  Pivot',
      'To choose, ask again with --agent AGENT --capability CAPABILITY',
      '',
    ].join('\n'),
  );
  expect(decisionText({ ...decision, ...clarify }, 'route-id')).toContain('--route-id rt_1 --choice');
});

test('clarify for missing fields names them once, and says how to go on', () => {
  const clarify: Partial<Decision> = {
    outcome: 'clarify',
    reason: 'The payload lacks /week.',
    missingFields: ['/week'],
  };
  expect(textOf(clarify)).toMatch(/\nThe payload lacks \/week\.\nAsk again with a fuller --payload\n$/);
  expect(decisionText({ ...decision, ...clarify }, 'route-id')).toMatch(
    /\nAsk again with --route-id rt_1 and a fuller --payload\n$/,
  );
});

test('unreachable says when to try again', () => {
  const text = textOf({ outcome: 'unreachable', reason: 'No instance is up.', retryAfterMs: 4_100 });
  expect(text).toMatch(/^unreachable report-agent\/weekly-summary {2}confidence/);
  expect(text).toContain('No instance is up.\nTry again in 5 s\n');
});

test('fallback and human say why', () => {
  const low = { confidence: 0.31, reason: 'Nobody is sure.' };
  expect(textOf({ ...low, outcome: 'fallback', targetAgent: 'chat-agent', capabilityId: 'chat' })).toBe(
    'fallback chat-agent/chat  confidence 0.31 < 0.75  5.1 ms\nNobody is sure.\n',
  );
  expect(textOf({ ...low, ...none, outcome: 'human', ticketId: null })).toBe(
    'human  confidence 0.31 < 0.75  5.1 ms\nNobody is sure.\n',
  );
  expect(textOf({ ...low, ...none, outcome: 'human', ticketId: 't_1' })).toContain('Ticket t_1');
});

test('rounding never contradicts the sign', () => {
  expect(textOf({ confidence: 0.7496, outcome: 'human', ...none })).toContain('confidence 0.7496 < 0.7500');
  expect(textOf({ confidence: 0.75, threshold: 0.75 })).toContain('confidence 0.75 >= 0.75');
});

test('hostile names print as text', () => {
  const text = textOf({ targetAgent: 'a\u001b[31m', capabilityId: 'x\ny' });
  expect(text.split('\n')).toHaveLength(2);
  expect(text).toContain('a\\u001b[31m/x\\u000ay');
});

test('explain shows each candidate with its signals and why it lost', () => {
  expect(explanation(decision)).toBe(
    [
      'capability                    sim   lex   cov  conf  reach  prio  score  why not',
      'report-agent/weekly-summary  0.90  0.50     -  0.91   1.00    50   0.90',
      'sheet-agent/表格转换         0.20  0.00  0.25  0.02   0.50     7   0.01  a lower confidence',
      '',
    ].join('\n'),
  );
});
