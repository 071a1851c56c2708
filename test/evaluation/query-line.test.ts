import { describe, expect, it } from 'vitest';
import { readQueryLine } from '../../src/evaluation/query-line.js';

const faultsOf = (text: string) => {
  const read = readQueryLine(text, 7);
  if (read.kind === 'query') throw new Error('it was read');
  return read.faults.map(({ pointer, message }) => `${pointer} ${message}`);
};

describe('a line of queries', () => {
  it('is read as it stands', () => {
    const text = '{"intent":" 你好 ","payload":{"a":{"b":[1]}},"expected":["x","a/y"],"lang":"zh"}';
    expect(readQueryLine(text, 7)).toEqual({
      kind: 'query',
      query: { line: 7, intent: ' 你好 ', payload: { a: { b: [1] } }, expected: ['x', 'a/y'], lang: 'zh' },
      unread: [],
    });
  });

  it('may leave out payload and language, and may have fields of its own', () => {
    expect(readQueryLine('{"intent":"x","expected":[],"note":1,"id":2}', 1)).toEqual({
      kind: 'query',
      query: { line: 1, intent: 'x', payload: null, expected: [], lang: 'und' },
      unread: ['note', 'id'],
    });
  });

  it.each([
    ['{"intent":"x"', " not JSON: expected ',' or '}', received the end at column 14"],
    ['{"intent":"x","expected":[]} {}', ' not JSON: expected nothing more, received "{" at column 30'],
    ['{"intent":"x","intent":"y","expected":[]}', ' the field /intent is there twice, at column 15'],
    ['[]', ' expected an object, received an array of 0'],
    ['"x"', ' expected an object, received the string "x"'],
    ['{"expected":[]}', '/intent expected a value, since this field is required, received nothing'],
    ['{"intent":"x"}', '/expected expected a value, since this field is required, received nothing'],
    ['{"intent":3,"expected":[]}', '/intent expected a string, received the number 3'],
    ['{"intent":"x","expected":"y"}', '/expected expected an array, received the string "y"'],
    ['{"intent":"x","expected":[1]}', '/expected/0 expected a string, received the number 1'],
    [
      '{"intent":"x","expected":[],"payload":[]}',
      '/payload expected an object or null, received an array of 0',
    ],
    ['{"intent":" \\u3000","expected":[]}', '/intent expected 1 to 20000 characters'],
    ['{"intent":"x","expected":[],"payload":{"n":1e999}}', '/payload/n expected a number within the range'],
    ['{"intent":"x","expected":[],"payload":{"__proto__":1}}', '/payload/__proto__ expected no key'],
  ])('is refused where it is %s', (text, fault) => {
    const [found] = faultsOf(text);
    expect(found).toContain(fault);
  });

  it('tells all its faults at once', () => {
    expect(faultsOf('{"intent":null,"payload":3}')).toHaveLength(3);
  });

  it('is refused where it is too deep or its intent too long', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(faultsOf(`{"intent":"x","expected":[],"payload":{"a":${deep}}}`)[0]).toMatch(/nested deeper than/);
    expect(faultsOf(`{"intent":"${'x'.repeat(20_001)}","expected":[]}`)[0]).toMatch(
      /received 20001 characters/,
    );
  });
});
