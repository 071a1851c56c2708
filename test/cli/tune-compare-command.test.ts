import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { columnsOf } from '../../src/cli/text-width.js';
import { startHttp } from '../../src/http/server.js';
import type { ShadowComparison } from '../../src/wire/shadow.js';
import { shadowComparison, standInReach } from '../support/stand-in-reach.js';
import { captured } from './captured.js';

async function comparing(comparison: ShadowComparison) {
  const asked: unknown[] = [];
  const reach = {
    ...standInReach(),
    compareShadow: async (hours?: number) => {
      asked.push(hours);
      return comparison;
    },
  };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return { asked, run: (...argv: string[]) => captured(['tune', 'compare', ...argv, '--url', door.address]) };
}

test('tune compare shows where the two differ, and who was right', async () => {
  const { run, asked } = await comparing(shadowComparison);
  const { code, err, out } = await run('12');
  expect([code, err, asked]).toEqual([0, '', [12]]);
  const [since, headline, right, heading = '', first = '', second, ...rest] = out.split('\n');
  expect(since).toMatch(/^since 2026-01-0/);
  expect(headline).toBe('builtin-1 in force, tuned-1 in the shadow: 3 of 200 intents differ (1.5 %)');
  expect(right).toBe('2 of them have labels: 0 were right, 2 would have been right in the shadow');
  expect(first).toMatch(/^ +2 +human +report-agent\/weekly-summary +2 +0 +2 +生成本周销售周报$/);
  expect(columnsOf(first.slice(0, first.indexOf('生')))).toBe(heading.indexOf('for example'));
  expect(second).toMatch(/^ +1 +sheet-agent\/表格转换 +unreachable report-agent\/weekly-summary +-$/);
  expect(rest).toEqual(['']);
});

test('tune compare says what is not told, and that nothing differs or nothing was compared', async () => {
  const [pair] = shadowComparison.pairs;
  if (pair === undefined) throw new Error('There is no pair.');
  const none = { labelled: 0, inForce: 0, shadow: 0 };
  const [change] = pair.changes;
  if (change === undefined) throw new Error('There is no change.');
  const many = {
    ...pair,
    differing: 150_000,
    read: 100_000,
    right: none,
    changes: Array.from({ length: 21 }, () => change),
  };
  const same = { ...pair, differing: 0, read: 0, changes: [], shadowWeightsVersion: 'tuned-2\u001b[31m' };
  const { run } = await comparing({ ...shadowComparison, pairs: [many, same] });
  const { out } = await run('12');
  expect(out).toContain('the newest 100000 of them are told of here\nnobody has said what is right');
  expect(out).toContain('--json gives more kinds of differences\n');
  expect(out.match(/weekly-summary/g)).toHaveLength(20);
  expect(out).not.toContain('\u001b');
  expect(out).toMatch(/tuned-2\S* in the shadow: 0 of 200 intents differ \(0\.0 %\)\n$/);
  const nothing = await comparing({ ...shadowComparison, pairs: [] });
  expect((await nothing.run('1')).out).toMatch(/^no intent was answered in the shadow since 2026-.*\n$/);
});

test('tune compare gives the answer as JSON, and tells what the server refuses', async () => {
  const { run, asked } = await comparing(shadowComparison);
  expect(JSON.parse((await run('12', '--json')).out).pairs[0]).toMatchObject({ compared: 200, read: 3 });
  const refused = await run('never');
  expect([refused.code, asked]).toEqual([1, [12]]);
  expect(refused.err).toContain('hours');
});
