import { expect, test } from 'vitest';
import type { ReachError } from '../../src/errors.js';
import { parseJsonBody } from '../../src/http/json-body.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function refusal(body: Uint8Array | string, maxDepth = 64): ReachError {
  try {
    parseJsonBody(typeof body === 'string' ? bytes(body) : body, maxDepth);
  } catch (error) {
    return error as ReachError;
  }
  throw new Error('it was accepted');
}

test.each([
  ['', 'nothing', 'a JSON object'],
  ['{"a": 1,}', '"}"', 'a field name in double quotes'],
  ['{"a" 1}', '"1"', "':'"],
  ['{"a": 1', 'the end of the body', "',' or '}'"],
  ['[1 2]', '"2"', "',' or ']'"],
  ['{"a": NaN}', '"N"', 'a JSON value'],
  ['{"a": 01}', '"0"', 'a JSON value'],
  ['{"a": "x', 'the end of the body', 'a closing quote'],
  ['{"a": "\\x"}', '"\\\\"', 'a JSON escape such as \\n or \\u00e9'],
  ['{"a": "\n"}', '"\\n"', 'no bare control character in a string'],
  ['{} {}', '"{"', 'the end of the body'],
  ["{'a': 1}", '"\'"', 'a field name in double quotes'],
])('%j is refused with what was expected', (body, received, expected) => {
  const error = refusal(body);
  expect(error.code).toBe('MALFORMED_REQUEST');
  expect(error.errors).toEqual([{ pointer: '', expected, received }]);
});

test('a syntax error names its line and column', () => {
  expect(refusal('{\n  "a": 1,\n  "b": tru\n}').message).toContain('at line 3, column 8 (character 19)');
});

test('bytes that are not UTF-8 are refused', () => {
  expect(refusal(new Uint8Array([0x22, 0xc3, 0x28, 0x22])).message).toContain('UTF-8');
});

test('depth is bounded, exactly, and brackets in strings do not count', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  expect(parseJsonBody(bytes(nested(64)), 64)).toBeInstanceOf(Array);
  expect(refusal(nested(65)).errors[0]?.expected).toContain('at most 64 levels');
  expect(refusal('['.repeat(8_000_000)).code).toBe('MALFORMED_REQUEST');
  expect(parseJsonBody(bytes(JSON.stringify({ a: '[['.repeat(100), b: '\\"[' })), 2)).toBeDefined();
});

test.each([
  ['{"payload": {"__proto__": {"admin": true}}}', '/payload/__proto__'],
  ['{"\\u005f_proto__": 1}', '/__proto__'],
  ['{"a": [{"constructor": {"prototype": 1}}]}', '/a/0/constructor'],
])('%s reaches a prototype and is refused', (body, pointer) => {
  expect(refusal(body).errors[0]).toMatchObject({ pointer, expected: 'no key that reaches a prototype' });
});

test('a constructor field that reaches nothing is fine', () => {
  expect(parseJsonBody(bytes('{"constructor": "Bau GmbH"}'), 64)).toEqual({ constructor: 'Bau GmbH' });
});

test('a number that would become null at an agent is refused', () => {
  expect(refusal('{"payload": {"a/b": [1, 1e999]}}').errors[0]?.pointer).toBe('/payload/a~1b/1');
});
