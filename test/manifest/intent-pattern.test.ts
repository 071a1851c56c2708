import { describe, expect, it } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { intentPatternOf } from '../../src/manifest/intent-pattern.js';

const finds = (pattern: string, intent: string) => intentPatternOf(pattern, '/intent')(intent);

describe('intentPatternOf', () => {
  it.each([
    ['report', 'Write the weekly REPORT', true],
    ['周报', '生成本周周报摘要', true],
    ['a.c', 'abc', false],
    ['ｖａｔ', 'What is our VAT id', true],
    ['/vat/', 'ＶＡＴ番号', true],
    ['/', 'tcp/ip', true],
    ['/refund (RF|rf)-\\d{4}/', 'when does REFUND rf-1001 arrive', true],
    ['/^refund/', 'a refund', false],
    ['/[一二三]天年假/', '我想请三天年假', true],
    ['/order.{0,16}late/', 'my order 20231188 is late', true],
  ])('%s in %j: %s', (pattern, intent, found) => {
    expect(finds(pattern, intent)).toBe(found);
  });

  it.each([
    ['', 'a text or /regular expression/'],
    ['x'.repeat(257), 'a text or /regular expression/'],
    ['/(a+)+$/', 'few ways'],
    ['/refund.*order/', '.{0,16} in place of .*'],
    ['/(/', 'a regular expression'],
    ['/(a)\\1/', 'without back references'],
    // Each is slow only because case does not count.
    ['/^(a|A)*$/', 'few ways'],
    ['/^(?:[a-z]|[A-Z])*$/', 'few ways'],
    ['/^(?:s|ſ)*$/', 'few ways'],
    ['/^(?:é|É)*$/', 'few ways'],
    // Georgian capitals and small letters, within wider classes.
    ['/^(?:[\\u109f-\\u10c6]|[\\u2cff-\\u2d27])*$/', 'few ways'],
  ])('refuses %s', (pattern, why) => {
    const asked = () => intentPatternOf(pattern, '/intent');
    expect(asked).toThrow(ReachError);
    expect(asked).toThrow(expect.objectContaining({ code: 'INVALID_REQUEST' }));
    expect(asked).toThrow(why);
  });

  it('takes no time worth speaking of for the longest intent', () => {
    const matches = intentPatternOf('/[a-z]{1,16}@[a-z]{1,16}\\.com$/', '/intent');
    const start = performance.now();
    expect(matches('Ab'.repeat(10_000))).toBe(false);
    expect(performance.now() - start).toBeLessThan(200);
  });
});
