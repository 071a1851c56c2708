import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { patternVerdict } from '../../src/manifest/pattern-verdict.js';
import { PatternWork } from '../../src/manifest/pattern-work.js';

const verdictOf = (pattern: string) => patternVerdict(pattern, new PatternWork(Number.POSITIVE_INFINITY));

describe('patternVerdict', () => {
  it.each([
    '^$',
    'x-',
    '[a-z]+',
    '^E[0-9]{4}$',
    '^[a-z0-9._-]{1,63}$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^\\d{4}\\d{2}$',
    '^[+-]?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$',
    '^[a-z]+(?:_[a-z]+)*$',
    '^(/[^/]*)*$',
    '^[\\u4e00-\\u9fa5]{2,10}$',
    '^\\p{L}+(?:[ -]\\p{L}+)*$',
    '^[\\]\\-]+$',
    '^(\\u{1F600}|\\uD83D\\uDE01)+$',
    '^a|b$',
    '^.{0,1000}$',
    // An IPv4 address, an ARN, an ISO 8601 duration, a host, a password.
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
    '^arn:aws:[a-z0-9-]+:[a-z0-9-]*:\\d{12}:.+$',
    '^P(?!$)(\\d+Y)?(\\d+M)?(\\d+W)?(\\d+D)?(T(?=\\d)(\\d+H)?(\\d+M)?(\\d+S)?)?$',
    '^(?=.{1,253}$)(?!-)[a-z0-9-]{1,63}(?<!-)(\\.[a-z0-9-]+)*$',
    '^(?=.*[a-z])(?=.*[A-Z])(?=.*\\d)[a-zA-Z\\d]{8,}$',
    // As semver.org has it.
    '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$',
  ])('finds %s linear', (pattern) => {
    expect(verdictOf(pattern)).toBe('linear');
  });

  it.each([
    '^(a+)+$',
    '^(a|a)*$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(x+x+)+y',
    '^(a|b|ab)*c$',
    '^(\\w+\\s?)*$',
    '.*.*.*=.*',
    '^a*b*a*$',
    '(.*a){25}',
    // Tried again from every place.
    '[a-z]+$',
    'a{0,500}b{0,500}c{0,500}$',
    '^(?:a{1,100}){1,100}$',
    `^${'(?:|)'.repeat(30)}$`,
    `^a${'(?:|)'.repeat(30)}[]`,
    '^(?=(a+)+$)',
  ])('finds %s slow', (pattern) => {
    expect(verdictOf(pattern)).toBe('slow');
  });

  it.each([
    '^(.*)\\1$',
    '^(?<a>.)\\k<a>$',
    '(?=.*a)b',
    '^a(?<=a+)$',
    '^(.{0,200}){0,200}$',
    '^(?:(?:(?:a{1,16}){1,16}){1,16}){1,16}$',
    `^${'a?'.repeat(490)}$`,
  ])('cannot decide %s', (pattern) => {
    expect(verdictOf(pattern)).toBe('undecided');
  });

  it.each(['((', '\\_', '^a**$', '[a'])('finds %s invalid', (pattern) => {
    expect(verdictOf(pattern)).toBe('invalid');
  });

  it('decides within the work that is left, for one pattern and for many', () => {
    const work = new PatternWork(10_000);
    const verdicts = Array.from({ length: 100 }, (_, index) => patternVerdict(`^(a|b${index})*$`, work));
    expect(verdicts[0]).toBe('linear');
    expect(verdicts.at(-1)).toBe('undecided');
    expect(new Set(verdicts)).toEqual(new Set(['linear', 'undecided']));
  });

  it('is never wrong where it finds a pattern linear: no text of 30,000 characters takes long', () => {
    const character = fc.constantFrom('a', 'b', '[ab]', '.', '\\w', '[^a]', 'a', 'b');
    const quantifier = fc.constantFrom('', '', '', '*', '+', '?', '{2}', '{1,3}', '{2,}', '*?', '{0,20}');
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { maxDepth: 4 },
        fc.tuple(character, quantifier).map((parts) => parts.join('')),
        fc.constantFrom('$', '\\b', '(?=a)', '(?!b)'),
        fc.tuple(tie('pattern'), tie('pattern')).map((parts) => parts.join('')),
        fc.tuple(tie('pattern'), tie('pattern'), quantifier).map(([a, b, often]) => `(?:${a}|${b})${often}`),
        fc.tuple(tie('pattern'), quantifier).map(([a, often]) => `(?:${a})${often}`),
      ),
    }));
    const texts = ['a', 'b', 'ab', 'aab', 'abb'].map((word) => `${word.repeat(30_000 / word.length)}!`);
    let linear = 0;
    fc.assert(
      fc.property(fc.constantFrom('^', ''), pattern, fc.constantFrom('$', 'c', ''), (start, middle, end) => {
        const source = start + middle + end;
        if (verdictOf(source) !== 'linear') return;
        linear += 1;
        const expression = new RegExp(source, 'u');
        const startedAt = performance.now();
        for (const text of texts) expression.test(text);
        expect(performance.now() - startedAt).toBeLessThan(1_000);
      }),
      { numRuns: 3_000 },
    );
    expect(linear).toBeGreaterThan(300);
  });
});
