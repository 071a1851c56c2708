import { describe, expect, test } from 'vitest';
import { formatFault } from '../../src/manifest/check-manifests.js';
import { findsIn, foldedIntent } from '../../src/manifest/intent-match.js';
import { RULE_LIMITS } from '../../src/rules/rule.js';
import { readText, rulesOf } from '../support/rules.js';

const faultsOf = (text: string) => readText(text).faults.map(formatFault);

describe('a file of rules', () => {
  test('is read with its defaults', () => {
    const { rules, faults } = readText('rules:\n  - id: a\n    target: mail-agent\n');
    expect(faults).toEqual([]);
    expect(rules).toEqual([
      {
        id: 'a',
        kind: 'before',
        when: {
          capability: undefined,
          agent: undefined,
          intent: undefined,
          tags: [],
          labels: {},
          payloadFields: [],
        },
        target: 'mail-agent',
        fallback: undefined,
        timeoutMs: undefined,
        threshold: undefined,
      },
    ]);
  });

  test('is asked by order, and by place where that is the same', () => {
    const rules = rulesOf(
      { id: 'third', target: 'a' },
      { id: 'fourth', target: 'a', order: 0 },
      { id: 'last', target: 'a', order: 7 },
      { id: 'first', target: 'a', order: -2 },
      { id: 'second', target: 'a', order: -1 },
    );
    expect(rules.map(({ id }) => id)).toEqual(['first', 'second', 'third', 'fourth', 'last']);
  });

  test.each([
    ['rules: []\n', []],
    ['# nothing\n', [/routes\.yaml:1: not YAML: it is empty/]],
    ['null\n', [/routes\.yaml:1: expected an object, received null/]],
    ['- a\n', [/routes\.yaml:1: expected an object, received an array/]],
    ['rules:\n  - id: a\n    target: [b\n', [/routes\.yaml:\d+: not YAML/]],
    [
      'rules:\n  - id: a\n    target: b\n    tresh: 1\n',
      [/:4: \/rules\/0\/tresh: expected one of the known fields/],
    ],
    [
      'rules:\n  - id: a\n    target: b\n    when:\n      intents: x\n',
      [/:5: \/rules\/0\/when\/intents: expected one/],
    ],
    ['rules: []\nmore: 1\n', [/:2: \/more: expected one of the known fields: rules/]],
    ['rules:\n  - target: b\n', [/:2: \/rules\/0\/id: expected a value, since this field is required/]],
    [
      'rules:\n  - id: a\n    target: b/\n',
      [/:3: \/rules\/0\/target: expected "agent_name\/capability_id", or/],
    ],
    [
      'rules:\n  - id: a\n    target: b\n    kind: after\n',
      [/:4: \/rules\/0\/kind: expected "before" or "fallback"/],
    ],
    ['rules:\n  - id: a\n    threshold: 2\n', [/:3: \/rules\/0\/threshold: expected a number of at most 1/]],
    [
      'rules:\n  - id: a\n    timeout_ms: 0\n',
      [/:3: \/rules\/0\/timeout_ms: expected a number of at least 1/],
    ],
    [
      'rules:\n  - id: a\n    degrade: {kind: canned, value: 1}\n  - id: b\n    degrade: {kind: old}\n',
      [/:5: \/rules\/1\/degrade/],
    ],
    [
      'rules:\n  - {id: a, target: b}\n  - {id: c, target: b}\n  - {id: a, target: c}\n',
      [
        /:4: \/rules\/2\/id: expected an id that is there once, received the string "a", as in \/rules\/0\/id/,
      ],
    ],
    ['rules:\n  - id: a\n    when: {intent: x}\n', [/:2: \/rules\/0: expected a target, or a timeout_ms/]],
    [
      'rules:\n  - id: a\n    kind: fallback\n    threshold: 0\n',
      [/:2: \/rules\/0\/target: expected a target, since/],
    ],
    [
      'rules:\n  - id: a\n    target: b\n    threshold: 0\n',
      [/:4: \/rules\/0\/threshold: expected no threshold/],
    ],
    [
      'rules:\n  - id: a\n    target: b\n    when:\n      capability: b/c\n      agent: d\n',
      [
        /:5: \/rules\/0\/when\/capability: expected no capability/,
        /:6: \/rules\/0\/when\/agent: expected the target/,
      ],
    ],
  ])('%j: %j', (text, expected) => {
    const faults = faultsOf(text);
    expect(faults).toEqual(expected.map((fault) => expect.stringMatching(fault)));
  });

  test('a regular expression that is slow, or none, is refused with its line', () => {
    const text =
      'rules:\n  - {id: a, target: b, when: {intent: "/(a+)+$/"}}\n  - {id: c, target: b, when: {intent: "/(/"}}\n';
    expect(faultsOf(text)).toEqual([
      expect.stringMatching(
        /:2: \/rules\/0\/when\/intent: expected a pattern that reads every text in few ways/,
      ),
      expect.stringMatching(/:3: \/rules\/1\/when\/intent: expected a regular expression/),
    ]);
  });

  test('more rules, regular expressions or bytes than a decision should be held against are refused', () => {
    const many = (count: number, intent: string) =>
      `rules:\n${Array.from({ length: count }, (_, i) => `  - {id: r${i}, target: b, when: {intent: "${intent}"}}`).join('\n')}\n`;
    expect(readText(many(RULE_LIMITS.rules, 'x')).rules).toHaveLength(RULE_LIMITS.rules);
    expect(faultsOf(many(RULE_LIMITS.rules + 1, 'x'))).toEqual([
      expect.stringMatching(/\/rules: expected at most 1000 items, received an array of 1001/),
    ]);
    expect(readText(many(RULE_LIMITS.expressions, '/x/')).faults).toEqual([]);
    expect(faultsOf(many(RULE_LIMITS.expressions + 1, '/x/'))).toEqual([
      expect.stringMatching(/:102: \/rules\/100\/when\/intent: expected at most 100 regular expressions/),
    ]);
    expect(faultsOf(`# ${'x'.repeat(RULE_LIMITS.bytes)}\nrules: []\n`)).toEqual([
      'routes.yaml:1: larger than 1048576 bytes',
    ]);
  });

  test('a file that refers to itself, or names the prototype, does no harm', () => {
    expect(faultsOf('rules:\n  - &a {id: a, degrade: {kind: canned, value: *a}}\n')).toHaveLength(1);
    expect(faultsOf('rules:\n  - {id: a, target: b, when: {labels: {__proto__: {x: y}}}}\n')).toHaveLength(1);
  });
});

describe('the intent of a rule', () => {
  const finds = (pattern: string, intent: string) => {
    const [rule] = rulesOf({ id: 'a', target: 'b', when: { intent: pattern } });
    return rule?.when.intent !== undefined && findsIn(rule.when.intent, foldedIntent(intent));
  };

  test.each([
    ['Refund', 'where is my REFUND', true],
    ['refund', 'ｗｈｅｒｅ　ｉｓ　ｍｙ　ｒｅｆｕｎｄ', true],
    ['ＲＦ', 'order rf-1001', true],
    ['ℌello', 'hello', true],
    ['退款', '我的退款到哪了', true],
    ['refund', 'fund', false],
    ['/^refund rf-\\d+$/', 'Refund ＲＦ-1001', true],
    ['/refund|退款/', '查一下退款', true],
  ])('%s in %s: %s', (pattern, intent, found) => {
    expect(finds(pattern, intent)).toBe(found);
  });

  test('a word boundary never stands at a Chinese word, where a plain text is to be used', () => {
    expect(finds('/\\b退款\\b/', '查 退款 吧')).toBe(false);
    expect(finds('退款', '查 退款 吧')).toBe(true);
  });
});
