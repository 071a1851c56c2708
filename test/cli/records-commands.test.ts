import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { columnsOf, cutTo } from '../../src/cli/text-width.js';
import { trendText } from '../../src/cli/trend-text.js';
import type { RouteExportQuery } from '../../src/facade/record-calls.js';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { recordedDecision } from '../../src/record/decision-record.js';
import type { Trend, TrendPoint } from '../../src/wire/records.js';
import { record } from '../record/records.js';
import { httpServer } from '../support/local-servers.js';
import { standInReach } from '../support/stand-in-reach.js';
import { captured } from './captured.js';

async function servedBy(changes: Partial<Reach>): Promise<string> {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return door.address;
}

/** A server of so many decisions that remembers what it was asked. */
async function deciding(count: number, changes: Parameters<typeof record>[1] = {}) {
  const queries: RouteExportQuery[] = [];
  const url = await servedBy({
    async *exportRoutes(query = {}) {
      queries.push(query);
      for (let index = 0; index < count; index++) yield recordedDecision(record(index, changes));
    },
  });
  return { url, queries };
}

test('routes lists the newest decisions as a table whose columns fit Chinese text', async () => {
  const intent = `生成本周销售周报摘要${'，并发给所有人'.repeat(5)}\u001b[31m`;
  const reported = { status: 'failed', latencyMs: null, rightCapability: null } as const;
  const { url, queries } = await deciding(60, { intent, reported });
  const argv = ['routes', '--hours', '2', '--intent', '周报', '--agent', 'a', '--url', url];
  const { code, out, err } = await captured(argv);
  expect([code, err, queries]).toEqual([0, '', [{ hours: 2, intent: '周报', agentName: 'a' }]]);
  const [earlier, heading = '', first = '', ...rest] = out.trimEnd().split('\n');
  expect(earlier).toBe('10 earlier ones are not shown; --json gives all');
  expect(rest).toHaveLength(49);
  const start = columnsOf(heading.slice(0, heading.indexOf('outcome')));
  expect(columnsOf(first.slice(0, first.indexOf('routed')))).toBe(start);
  expect(first).toMatch(
    /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}生成本周.*… +routed +report-agent\/weekly-summary +0\.91 +failed$/,
  );
});

test('routes --json prints every decision as the API gives it', async () => {
  const { url } = await deciding(120);
  const { code, out } = await captured(['routes', '--json'], { env: { REACH_URL: url } });
  const lines = out.trimEnd().split('\n');
  expect([code, lines.length]).toEqual([0, 120]);
  expect(JSON.parse(lines[7] ?? '')).toMatchObject({
    route_id: 'rt_000007',
    intent: '周报 7\0',
    reported: null,
  });
});

test('routes says that there is nothing, and what the server refuses', async () => {
  const { url } = await deciding(0);
  expect((await captured(['routes', '--url', url])).out).toBe('no decisions\n');
  const refused = await captured(['routes', '--hours', 'all', '--url', url]);
  expect([refused.code, refused.err]).toEqual([
    1,
    expect.stringMatching(/^agent-reach: \/hours: expected how far/),
  ]);
  expect((await captured(['routes'])).code).toBe(2);
  expect((await captured(['routes', '--url', 'http://127.0.0.1:1'])).code).toBe(3);
});

test('routes does not take half of an answer for the whole', async () => {
  const { url } = await httpServer((_, response) => {
    response.write('{"route_id"');
    setTimeout(() => response.destroy(), 50);
  });
  const { code, out } = await captured(['routes', '--json', '--url', url.href]);
  expect([code, out]).toEqual([3, '']);
});

const point = (atMs: number, mean: number, changes: Partial<TrendPoint> = {}): TrendPoint => ({
  at: new Date(atMs).toISOString(),
  reachability: { mean, min: mean / 2 },
  eligible: 1,
  registered: 2,
  routed: 0,
  failed: 0,
  ...changes,
});
const HOUR = 3_600_000;
const graphOf = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(name))
    ?.slice('reachability  '.length);

test('trend draws each hour in its place, and leaves out what nobody saw', async () => {
  const hours = [point(0, 0), point(HOUR, 0.5, { routed: 8 }), point(3 * HOUR, 1, { routed: 2 })];
  const url = await servedBy({ trend: async (agentName) => ({ agentName, minutes: [], hours, days: [] }) });
  const { code, out } = await captured(['trend', 'report-agent', '--url', url]);
  expect(code).toBe(0);
  expect(out).toMatch(/^report-agent by the hour, \d{4}-.* to \d{4}-.*\n/);
  expect(graphOf(out, 'reachability')).toBe('▁▅ █    0.00  1.00');
  expect(graphOf(out, 'routed')).toBe('▁█ ▃       0     8');
});

test('trend draws a young server by the minute, however far back it was asked for', () => {
  const minutes = [point(59 * 60_000, 1), point(HOUR, 0.5)];
  const hours = [point(0, 1), point(HOUR, 0.5)];
  const young = trendText({ agentName: 'a', minutes, hours, days: [point(0, 0.75)] });
  expect(young).toMatch(/^a by the minute, /);
  expect(graphOf(young, 'reachability')).toBe('█▅      0.50  1.00');
  const days = [point(-24 * HOUR, 1), point(0, 0.75)];
  expect(trendText({ agentName: 'a', minutes, hours, days })).toMatch(/^a by the day, /);
  expect(trendText({ agentName: 'a', minutes: minutes.slice(1), hours, days: [point(0, 1)] })).toMatch(
    /^a by the hour, /,
  );
});

test('trend joins what has no room: sums of counts, the worst of the lowest', () => {
  const days = Array.from({ length: 96 }, (_, day) =>
    point(day * 24 * HOUR, 1, { routed: day === 5 ? 3 : 1 }),
  );
  const trend: Trend = { agentName: 'a', minutes: [], hours: [], days };
  const text = trendText(trend);
  expect(graphOf(text, 'routed')).toMatch(/^[▄▅]{2}█[▄▅]{45} +2 +4$/);
  expect(graphOf(text, 'lowest')).toMatch(/ 0\.50 +0\.50$/);
});

test('trend says that nothing is recorded, and gives the answer as JSON', async () => {
  const url = await servedBy({});
  expect((await captured(['trend', 'a', '--url', url])).out).toBe('nothing is recorded of a\n');
  const { out } = await captured(['trend', 'a', '--json', '--hours', '5', '--url', url]);
  expect(JSON.parse(out)).toEqual({ agent_name: 'a', minutes: [], hours: [], days: [] });
});

test.each([
  ['short', 5, 'short'],
  ['longer', 5, 'long…'],
  ['周报摘要', 8, '周报摘要'],
  ['周报摘要', 7, '周报摘…'],
  ['周报摘要', 6, '周报…'],
])('%s in %i columns is %s', (text, columns, cut) => {
  expect(cutTo(text, columns)).toBe(cut);
});
