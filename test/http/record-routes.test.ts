import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { ALL_OURS } from '../../src/cluster/shares.js';
import { labelCalls } from '../../src/facade/label-calls.js';
import { OpenCalls } from '../../src/facade/open-calls.js';
import { recordCalls } from '../../src/facade/record-calls.js';
import { InstanceTable } from '../../src/health/instance-table.js';
import { startHttp } from '../../src/http/server.js';
import { openLabels } from '../../src/labels/open-labels.js';
import { Lifecycle } from '../../src/lifecycle.js';
import { openRecords } from '../../src/record/open-records.js';
import { openStores } from '../../src/storage/open-stores.js';
import type { TrendWire } from '../../src/wire/records.js';
import { record } from '../record/records.js';
import { loadedRegistry } from '../registry/registry-fixture.js';
import { heldBytes } from '../support/held-bytes.js';
import { standInReach } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const NOW = Date.now();

/** The calls of records behind a real door, over a store in a file. */
async function served() {
  const lifecycle = new Lifecycle((part, error) => expect.unreachable(`${part}: ${error}`));
  const stores = await openStores({ store: null, data: await temporaryFolder() });
  lifecycle.add('store', () => stores.close());
  const { registry } = await loadedRegistry(stores.catalogue);
  const table = new InstanceTable(systemClock);
  const records = await openRecords({
    stores,
    team: 't',
    instances: table,
    catalogue: () => registry.snapshot,
    shares: ALL_OURS,
    clock: systemClock,
    lifecycle,
    report: () => {},
  });
  const { recorder } = records;
  const parts = { registry, team: 't', clock: systemClock, lifecycle, report: () => {} };
  const labels = openLabels({ ...parts, store: stores.labels, recorder });
  const calls = new OpenCalls(lifecycle, () => true);
  const reach = {
    ...standInReach(),
    ...recordCalls({ ...parts, records, labels }, calls),
    ...labelCalls({ ...parts, labels }, calls),
  };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(async () => {
    await door.close();
    await lifecycle.close();
  });
  const url = (path: string) => `${door.address}/api/v1/${path}`;
  const append = (rows: Parameters<typeof stores.records.append>[1]) => stores.records.append('t', rows);
  return { url, append, stores, door };
}

const row = (index: number, intent: string | null, agent = 'report-agent') =>
  record(index, { atMs: NOW - 60_000 + index, intent, targetAgent: agent });

const problemOf = async (response: Response) => (await response.json()) as object;

describe('GET /api/v1/routes/export', () => {
  test('gives the decisions that are meant, oldest first, as lines of JSON', async () => {
    const { url, append } = await served();
    const long = 200;
    await append([
      ...Array.from({ length: long }, (_, index) => row(index, `生成周报 ${index}`)),
      row(long, 'Refund RF-1', 'refunds-agent'),
      row(long + 1, null),
      record(long + 2, { atMs: NOW - 3 * 3_600_000, intent: '周报' }),
    ]);
    const idsOf = async (query: string) => {
      const response = await fetch(url(`routes/export?${query}`));
      expect(response.headers.get('content-type')).toBe('application/jsonl');
      const text = await response.text();
      return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).route_id]));
    };
    expect(await idsOf('hours=1')).toEqual(Array.from({ length: long + 2 }, (_, i) => record(i).routeId));
    expect(await idsOf('hours=4&intent=周报&agent=report-agent')).toHaveLength(long + 1);
    expect(await idsOf(`intent=${encodeURIComponent('/refund rf-\\d/')}`)).toEqual([record(long).routeId]);
    expect(await idsOf('hours=168&agent=refunds-agent')).toEqual([record(long).routeId]);
    expect(await idsOf('intent=nothing')).toEqual([]);
    const newestFirst = await idsOf('hours=4&newest_first=true');
    expect(newestFirst).toEqual((await idsOf('hours=4&newest_first=false')).reverse());
    expect(newestFirst).toHaveLength(long + 3);
  });

  test('gives CSV whose intents no spreadsheet runs', async () => {
    const { url, append } = await served();
    await append([row(1, '=cmd|"/c calc"!A1, 周报')]);
    const response = await fetch(url('routes/export?format=csv'));
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const [heading, line, rest] = (await response.text()).split('\r\n');
    expect(heading).toMatch(/^route_id,at,intent,payload_fields,user,outcome,target_agent/);
    expect(line).toContain(`,"'=cmd|""/c calc""!A1, 周报",`);
    expect(rest).toBe('');
  });

  test.each([
    ['hours=0', '/hours'],
    ['hours=169', '/hours'],
    ['hours=x', '/hours'],
    ['format=xml', '/format'],
    ['newest_first=yes', '/newest_first'],
    [`intent=${encodeURIComponent('/(a+)+$/')}`, '/intent'],
    ['intent=', '/intent'],
    ['color=red', '/color'],
  ])('refuses %s', async (query, pointer) => {
    const { url } = await served();
    const problem = await problemOf(await fetch(url(`routes/export?${query}`)));
    expect(problem).toMatchObject({ status: 422, code: 'INVALID_REQUEST', errors: [{ pointer }] });
  });

  test('says that the store is gone while it still can', async () => {
    const { url, stores } = await served();
    await stores.close();
    expect(await problemOf(await fetch(url('routes/export')))).toMatchObject({ status: 503, code: 'CLOSED' });
  });

  test('50,000 decisions to a slow reader are all there, and never all in memory', {
    timeout: 180_000,
  }, async () => {
    const { url, append } = await served();
    const rows = 50_000;
    for (let index = 0; index < rows; index += 1_000) {
      await append(Array.from({ length: 1_000 }, (_, each) => row(index + each, '周报'.repeat(200))));
    }
    const before = heldBytes();
    const call = request(url('routes/export')).end();
    const [response] = await once(call, 'response');
    let bytes = 0;
    let lines = 0;
    let held = 0;
    for await (const piece of response) {
      bytes += piece.length;
      const linesBefore = lines;
      lines += piece.toString().split('\n').length - 1;
      const isTenth = Math.floor((10 * lines) / rows) > Math.floor((10 * linesBefore) / rows);
      if (isTenth) held = Math.max(held, heldBytes() - before);
      await sleep(1);
    }
    expect(lines).toBe(rows);
    // All of it held, or only what a reader that is behind has not taken, would be far more than this.
    expect(held).toBeLessThan(bytes / 5);
  });

  test('a reader that takes nothing makes nobody read on, and holds up neither a writer nor the close', {
    timeout: 60_000,
  }, async () => {
    const { url, append, stores, door } = await served();
    await append(Array.from({ length: 10_000 }, (_, index) => row(index, '周报'.repeat(1_000))));
    const pages = vi.spyOn(stores.records, 'page');
    const call = request(url('routes/export')).end();
    call.on('error', () => {});
    await once(call, 'response');
    await sleep(1_000);
    expect(pages.mock.calls.length).toBeGreaterThan(0);
    expect(pages.mock.calls.length).toBeLessThan(50);
    await append([row(10_000, 'later')]);
    expect(await stores.records.find('t', record(10_000).routeId)).toBeDefined();
    await door.close();
  });
});

describe('POST /api/v1/routes/{route_id}/outcome', () => {
  const report = (url: string, body: unknown) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });

  test('is kept with the decision, once', async () => {
    const { url, append } = await served();
    await append([row(1, 'x')]);
    const address = url(`routes/${record(1).routeId}/outcome`);
    const answer = await report(address, { status: 'timeout', latency_ms: 1_500 });
    expect([answer.status, await answer.json()]).toEqual([200, { route_id: record(1).routeId }]);
    expect(await problemOf(await report(address, { status: 'failed' }))).toMatchObject({
      status: 409,
      code: 'OUTCOME_REPORTED',
    });
    const [line = ''] = (await (await fetch(url('routes/export'))).text()).split('\n');
    expect(JSON.parse(line).reported).toEqual({
      status: 'timeout',
      latency_ms: 1_500,
      right_capability: null,
    });
  });

  test.each([
    [{ status: 'failed' }, 404, 'ROUTE_UNKNOWN'],
    [{ status: 'failed', right_capability: 'no/thing' }, 404, 'CAPABILITY_UNKNOWN'],
    [{ status: 'gone' }, 422, 'INVALID_REQUEST'],
    [{ status: 'failed', latency_ms: -1 }, 422, 'INVALID_REQUEST'],
    [{}, 422, 'INVALID_REQUEST'],
  ])('refuses %j for a route that is unknown with %s', async (body, status, code) => {
    const { url } = await served();
    expect(await problemOf(await report(url('routes/rt_x/outcome'), body))).toMatchObject({ status, code });
  });
});

describe('GET /api/v1/reachability/trend', () => {
  test('gives what is kept, and refuses an agent that nobody knows', async () => {
    const { url, stores } = await served();
    const atMs = Math.floor(NOW / 60_000) * 60_000;
    const seen = { samples: 2, reachabilitySum: 1, reachabilityMin: 0, eligible: 1, registered: 2 };
    await stores.trends.add('t', [{ agentName: 'reports', atMs, ...seen, routed: 3, failed: 1 }]);
    const answer = await fetch(url('reachability/trend?agent_name=reports&hours=2'));
    const trend = (await answer.json()) as TrendWire;
    const reachability = { mean: 0.5, min: 0 };
    const point = { at: new Date(atMs).toISOString(), reachability, eligible: 1, registered: 2, routed: 3 };
    expect(trend).toMatchObject({ agent_name: 'reports', minutes: [{ ...point, failed: 1 }] });
    expect([trend.hours.length, trend.days.length]).toEqual([1, 1]);
    const unknown = await problemOf(await fetch(url('reachability/trend?agent_name=nobody')));
    expect(unknown).toMatchObject({ status: 404, code: 'AGENT_UNKNOWN' });
    const tooLong = await problemOf(await fetch(url('reachability/trend?agent_name=reports&hours=9000')));
    expect(tooLong).toMatchObject({ status: 422, errors: [{ pointer: '/hours' }] });
  });
});
