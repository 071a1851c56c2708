import { EventEmitter, once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import type { ReachOptions } from '../../src/config.js';
import { ReachError } from '../../src/errors.js';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { decision, standInReach } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { captured } from './captured.js';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** A façade that remembers what it was asked. */
function asked(answer: Partial<typeof decision> = {}) {
  const requests: unknown[] = [];
  const reach: Reach = {
    ...standInReach(),
    route: async (request: unknown) => {
      requests.push(request);
      return { ...decision, ...answer };
    },
  };
  return { requests, reach, createReach: async () => reach };
}

async function servedBy(reach: Reach): Promise<string> {
  const logger = pino({ level: 'silent' });
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, logger);
  closers.push(() => door.close());
  return door.address;
}

test('route in this process uses a memory store over manifests/ and prints one line', async () => {
  const seen: ReachOptions[] = [];
  const createReach = async (options: ReachOptions) => {
    seen.push(options);
    return standInReach();
  };
  const result = await captured(['route', '周报'], { createReach, env: { REACH_DATA: '/var/lib/reach' } });
  expect(result).toEqual({
    code: 0,
    out: 'routed report-agent/weekly-summary  confidence 0.91 >= 0.75  5.1 ms\n',
    err: '',
  });
  expect(seen).toEqual([{ manifests: 'manifests', data: null, probes: false, tickets: false }]);
});

test('every flag of route reaches the request', async () => {
  const { requests, createReach } = asked();
  const argv =
    'route hello --payload {"a_b":1} --agent a --capability c --top-k 3 --threshold 0 --filter-agent a --filter-agent b --filter-tag t --filter-label env=a=b --filter-team x --route-id r --choice a/c --explain';
  expect((await captured(argv.split(' '), { createReach })).code).toBe(0);
  expect(requests).toEqual([
    {
      intent: 'hello',
      payload: { a_b: 1 },
      agentName: 'a',
      capabilityId: 'c',
      topK: 3,
      threshold: 0,
      filter: { agents: ['a', 'b'], tags: ['t'], labels: { env: 'a=b' }, team: 'x' },
      routeId: 'r',
      choice: 'a/c',
      explain: true,
    },
  ]);
});

test('route reads a payload from a file', async () => {
  const file = join(await temporaryFolder(), 'rows.json');
  await writeFile(file, '{"rows": []}');
  const { requests, createReach } = asked();
  await captured(['route', 'x', '--payload', `@${file}`], { createReach });
  expect(requests).toEqual([{ intent: 'x', payload: { rows: [] } }]);
});

test('route --explain adds the table, --json prints the wire answer', async () => {
  const explained = await captured(['route', 'x', '--explain']);
  expect(explained.out).toContain('\n\ncapability ');
  const { createReach } = asked({ reason: 'a\u009b31m\u202e' });
  const json = await captured(['route', 'x', '--json'], { createReach });
  expect(json.out).toContain('a\\u009b31m\\u202e');
  expect(JSON.parse(json.out)).toMatchObject({ route_id: 'rt_1', reason: 'a\u009b31m\u202e' });
});

test('what is not routed ends with 1', async () => {
  const { createReach } = asked({ outcome: 'human', targetAgent: null, capabilityId: null });
  expect((await captured(['route', 'x'], { createReach })).code).toBe(1);
});

test('the façade is closed, also after an error, and the error is one sentence', async () => {
  let closed = 0;
  const reach: Reach = {
    ...standInReach(),
    route: async () => {
      throw new ReachError('AGENT_UNKNOWN', 'No agent is called x\n\u001b[31m.');
    },
    close: async () => {
      closed += 1;
    },
  };
  const result = await captured(['route', 'x'], { createReach: async () => reach });
  expect(result).toEqual({
    code: 1,
    out: '',
    err: 'agent-reach: No agent is called x\\u000a\\u001b[31m.\n',
  });
  expect(closed).toBe(1);
});

test.each([
  [['fly']],
  [['route']],
  [['route', 'x', '--nonsense']],
  [['route', 'x', '--top-k', 'many']],
  [['route', 'x', '--payload', '{']],
  [['route', 'x', '--payload', '[1]']],
  [['route', 'x', '--payload', '@/no/such/file']],
  [['route', 'x', '--filter-label', 'env']],
  [['serve', 'x', 'y']],
  [[]],
])('%j is a usage error', async (argv) => {
  const result = await captured(argv);
  expect(result.code).toBe(2);
  expect(result.out).toBe('');
  expect(result.err).not.toBe('');
  expect(result.err).not.toMatch(/\n\s+at /);
});

test('help and version are no errors', async () => {
  expect(await captured(['--version'])).toEqual({ code: 0, out: '0.1.0\n', err: '' });
  const help = await captured(['route', '--help']);
  expect(help.code).toBe(0);
  expect(help.out).toContain('--fallback-agent');
});

test('route and agents ask a server where one is named', async () => {
  const { requests, reach } = asked();
  await reach.publish({ agent_name: 'report-agent' });
  const url = await servedBy(reach);
  const createReach = async () => expect.fail('it was not to start anything');
  const routed = await captured(['route', '周报', '--payload', '{"a_b": 1}', '--url', url], { createReach });
  expect(routed.out).toContain('routed report-agent/weekly-summary');
  expect(requests).toEqual([{ intent: '周报', payload: { a_b: 1 } }]);
  const agents = await captured(['agents'], { createReach, env: { REACH_URL: `${url}/` } });
  expect(agents).toEqual({
    code: 0,
    out: [
      'agent         version  from  instances  capabilities',
      'report-agent        1  api   1 up       weekly-summary',
      '',
    ].join('\n'),
    err: '',
  });
  const json = await captured(['agents', '--json', '--url', url]);
  expect(JSON.parse(json.out).agents[0].agent_name).toBe('report-agent');
});

test('agents history asks a server for the versions of a manifest', async () => {
  const reach = standInReach();
  await reach.publish({ agent_name: 'report-agent' });
  const url = await servedBy(reach);
  const createReach = async () => expect.fail('it was not to start anything');
  expect(await captured(['agents', 'history', 'report-agent', '--url', url], { createReach })).toEqual({
    code: 0,
    out: [
      'version  published            from  catalogue  serves',
      `    100  ${new Date('2026-01-02T03:04:05.678Z').toLocaleString('sv-SE')}  api           -  yes`,
      '',
    ].join('\n'),
    err: '',
  });
  const json = await captured(['agents', 'history', 'report-agent', '--json'], { env: { REACH_URL: url } });
  expect(JSON.parse(json.out)).toMatchObject({ agent_name: 'report-agent', manifests: [{ current: true }] });
  const before = await captured(['agents', '--url', url, 'history', 'a/../b?c']);
  expect(before).toEqual({ code: 1, out: '', err: 'agent-reach: No agent is called a/../b?c.\n' });
  const nowhere = await captured(['agents', 'history', 'report-agent'], { createReach });
  expect(nowhere).toEqual({ code: 2, out: '', err: 'error: name a server: --url or REACH_URL\n' });
});

test("a server's refusal is its sentence and exit code 1", async () => {
  const url = await servedBy(standInReach());
  const result = await captured(['route', 'x', '--top-k', '900', '--url', url]);
  expect(result.code).toBe(1);
  expect(result.err).toMatch(/^agent-reach: \/top_k: expected a number of at most 64, .*\n$/);
});

test('a server that is not there, or is another, ends with 3', async () => {
  const gone = await captured(['route', 'x', '--url', 'http://127.0.0.1:1']);
  expect(gone).toEqual({
    code: 3,
    out: '',
    err: 'agent-reach: The server at http://127.0.0.1:1 cannot be reached.\n',
  });
  const other = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  closers.push(() => other.close());
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  expect((await captured(['agents', '--url', `http://127.0.0.1:${port}`])).code).toBe(3);
  expect((await captured(['agents', '--url', 'ftp://x'])).code).toBe(1);
});

test('flags win over flags before the command, these over the environment', async () => {
  const seen: ReachOptions[] = [];
  const signals = new EventEmitter();
  const serve = async (options: ReachOptions) => {
    seen.push(options);
    setImmediate(() => signals.emit('SIGTERM', 'SIGTERM'));
    return { address: 'http://127.0.0.1:1', close: async () => {} };
  };
  const env = { REACH_PORT: '1', REACH_HOST: 'a', REACH_MODEL: 'm', REACH_THRESHOLD: '0.5' };
  const argv = ['--port', '2', '--host', 'b', 'serve', '--port', '3', '--log-level', 'info'];
  const result = await captured(argv, { serve, env, signals });
  expect(result.code).toBe(0);
  expect(seen).toEqual([{ port: 3, host: 'b', model: 'm', threshold: 0.5, logLevel: 'info' }]);
});

test('demo says where it is, one call to try, and how to stop; a signal ends it with 0', async () => {
  const signals = new EventEmitter();
  let closed = false;
  const demo = async () => {
    setImmediate(() => signals.emit('SIGINT', 'SIGINT'));
    return {
      address: 'http://127.0.0.1:8080',
      close: async () => {
        closed = true;
      },
    };
  };
  const result = await captured(['demo'], { demo, signals });
  expect(result.code).toBe(0);
  expect(closed).toBe(true);
  expect(result.out).toContain('curl -s http://127.0.0.1:8080/api/v1/route');
  expect(result.out).toContain('Ctrl+C');
});

test('a start that fails is one sentence', async () => {
  const serve = async () => {
    throw new ReachError('PORT_TAKEN', 'Port 8080 is taken.');
  };
  expect(await captured(['serve'], { serve })).toEqual({
    code: 1,
    out: '',
    err: 'agent-reach: Port 8080 is taken.\n',
  });
});
