import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { instanceStatus, standInReach } from '../support/stand-in-reach.js';
import { captured } from './captured.js';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function servedBy(changes: Partial<Reach> = {}): Promise<string> {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  closers.push(() => door.close());
  return door.address;
}

test('instances lists those of an agent, with state, lease and reason', async () => {
  const instances = [
    { ...instanceStatus, version: '2', region: 'east' },
    {
      ...instanceStatus,
      instanceId: 'b',
      state: 'expired',
      leaseMs: 0,
      reachability: 0,
      reason: 'it is late',
    },
    { ...instanceStatus, instanceId: 'static', origin: 'manifest' as const, leaseMs: null },
  ];
  const url = await servedBy({ instances: (agentName) => ({ agentName, instances }) });
  const result = await captured(['instances', 'report-agent', '--url', url]);
  expect(result).toMatchObject({ code: 0, err: '' });
  expect(result.out.split('\n')).toEqual([
    'instance  state    address                weight  version  region  reach  pending   lease  reason',
    'a         up       http://127.0.0.1:9595     100  2        east     1.00        0    30 s  it started',
    'b         expired  http://127.0.0.1:9595     100  -        -        0.00        0    over  it is late',
    'static    up       http://127.0.0.1:9595     100  -        -        1.00        0  static  it started',
    '',
  ]);
  const json = await captured(['instances', 'report-agent', '--json'], { env: { REACH_URL: url } });
  expect(JSON.parse(json.out)).toMatchObject({
    agent_name: 'report-agent',
    instances: [{ instance_id: 'a', labels: { env_name: 'prod' } }, {}, {}],
  });
});

test('an agent without instances is told as such', async () => {
  const url = await servedBy({ instances: (agentName) => ({ agentName, instances: [] }) });
  expect((await captured(['instances', 'a', '--url', url])).out).toBe('no instances\n');
});

test('drain, its undoing and weight change one instance and say so', async () => {
  const calls: unknown[] = [];
  const { drain, register } = standInReach();
  const url = await servedBy({
    drain: async (...given) => {
      calls.push(given);
      return { ...(await drain(...given)), pending: 2 };
    },
    register: async (...given) => {
      calls.push(given);
      return register(...given);
    },
  });
  const drained = await captured(['drain', 'report-agent', 'a/b 周', '--url', url]);
  expect(drained).toEqual({ code: 0, out: 'a/b 周 of report-agent drains, with 2 calls pending\n', err: '' });
  const weighed = await captured(['weight', 'report-agent', 'a', '5', '--url', url]);
  expect(weighed).toEqual({ code: 0, out: 'a of report-agent has weight 5\n', err: '' });
  const undone = await captured(['drain', 'report-agent', 'a', '--undo', '--url', url]);
  expect(undone).toEqual({ code: 0, out: 'a of report-agent is not drained any more\n', err: '' });
  const json = await captured(['weight', 'report-agent', 'a', '0', '--json', '--url', url]);
  expect(JSON.parse(json.out)).toMatchObject({ agent_name: 'report-agent', instance_id: 'a' });
  expect(calls).toEqual([
    ['report-agent', 'a/b 周', undefined],
    // No more than the address that shows it to be an edit: the rest stays as it is.
    [
      'report-agent',
      'a',
      { address: 'http://127.0.0.1:9595', weight: 5 },
      { remoteAddress: expect.any(String) },
    ],
    [
      'report-agent',
      'a',
      { address: 'http://127.0.0.1:9595', draining: false },
      { remoteAddress: expect.any(String) },
    ],
    [
      'report-agent',
      'a',
      { address: 'http://127.0.0.1:9595', weight: 0 },
      { remoteAddress: expect.any(String) },
    ],
  ]);
});

test('drain and weight print the answer of the API where that is asked for', async () => {
  const env = { REACH_URL: await servedBy() };
  const drained = await captured(['drain', 'report-agent', 'a', '--json'], { env });
  expect(JSON.parse(drained.out)).toMatchObject({ instance_id: 'a', addr_version: expect.any(Number) });
  const weighed = await captured(['weight', 'report-agent', 'a', '5', '--json'], { env });
  expect(JSON.parse(weighed.out)).toMatchObject({ instance_id: 'a', lease_ms: expect.any(Number) });
});

test('the weight of an instance that a manifest names is not set here', async () => {
  const url = await servedBy({
    instance: (agentName) => ({ agentName, ...instanceStatus, origin: 'manifest', history: [] }),
  });
  const result = await captured(['weight', 'report-agent', 'a', '5', '--url', url]);
  expect(result.code).toBe(1);
  expect(result.err).toBe(
    'agent-reach: a stands in the manifest of report-agent: its weight is changed there, and it cannot be drained.\n',
  );
});

test('a server must be named, and a weight a number', async () => {
  for (const argv of [
    ['instances', 'a'],
    ['drain', 'a', 'b'],
    ['weight', 'a', 'b', '5'],
  ]) {
    const result = await captured(argv);
    expect(result).toEqual({ code: 2, out: '', err: 'error: name a server: --url or REACH_URL\n' });
  }
  expect((await captured(['weight', 'a', 'b', 'much'])).code).toBe(2);
});
