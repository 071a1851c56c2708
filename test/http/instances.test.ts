import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReach, type Reach } from '../../src/app.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { type HttpDoor, startHttp } from '../../src/http/server.js';
import { WorkGate } from '../../src/http/work-gate.js';

const logger = pino({ level: 'silent' });

let reach: Reach;
let door: HttpDoor;
beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent', englishModel: false, probes: false });
  await reach.publish({
    agent_name: 'reports',
    manifest_version: 1,
    capabilities: [{ id: 'weekly', name: 'Weekly report' }],
    instances: [{ instance_id: 'static', address: 'http://10.0.0.9' }],
  });
  door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, logger);
});
afterAll(async () => {
  await door.close();
  await reach.close();
});

async function call(method: string, path: string, body?: unknown) {
  const response = await fetch(`${door.address}/api/v1/agents/reports/instances${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const ISO_TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);

test('an instance registers, beats, is shown, drains and leaves', async () => {
  const registration = {
    address: 'http://10.0.0.1:9595/base/',
    health_address: 'http://10.0.0.1:9596/alive',
    weight: 5,
    region: 'east',
    labels: { env_name: 'prod' },
    version: '2.1',
    incarnation: 1_767_225_600_000,
  };
  const registered = await call('PUT', '/a', registration);
  expect(registered).toEqual({
    status: 200,
    body: {
      agent_name: 'reports',
      instance_id: 'a',
      addr_version: expect.any(Number),
      next_heartbeat_ms: expect.any(Number),
      lease_ms: expect.any(Number),
    },
  });
  const beat = { state: 'up', pending: 2, load: 0.25, seq: 1, sent_at: Date.now() };
  expect(await call('POST', '/a/heartbeat', { ...beat, incarnation: registration.incarnation })).toEqual({
    status: 200,
    body: { next_heartbeat_ms: expect.any(Number), lease_ms: expect.any(Number), commands: [] },
  });

  const shown = {
    ...registration,
    address: 'http://10.0.0.1:9595/base',
    instance_id: 'a',
    addr_version: registered.body.addr_version,
    origin: 'registered',
    draining: false,
    state: 'up',
    reason: expect.any(String),
    since: ISO_TIME,
    reachability: 1,
    pending: 2,
    lease_ms: expect.any(Number),
    last_heartbeat: ISO_TIME,
  };
  const listed = await call('GET', '');
  expect(listed).toMatchObject({
    status: 200,
    body: { agent_name: 'reports', instances: [{ instance_id: 'static' }, shown] },
  });
  const [first] = listed.body.instances as Record<string, unknown>[];
  expect(first).toMatchObject({ lease_ms: null, last_heartbeat: null, origin: 'manifest', region: null });

  expect(await call('POST', '/a/drain')).toMatchObject({
    status: 200,
    body: { ...shown, agent_name: 'reports', draining: true, state: 'draining' },
  });
  expect(await call('GET', '/a')).toMatchObject({
    body: {
      state: 'draining',
      history: [
        { at: ISO_TIME, from: 'up', to: 'draining', addr_version: registered.body.addr_version },
        { from: null, to: 'up' },
      ],
    },
  });
  expect(await call('DELETE', '/a')).toEqual({
    status: 200,
    body: { agent_name: 'reports', instance_id: 'a' },
  });
  expect(await call('GET', '/a')).toMatchObject({ status: 404, body: { code: 'INSTANCE_UNKNOWN' } });
});

test('why and since when an instance has its state is told of the last change, also where history knows of none', async () => {
  await reach.publish({
    agent_name: 'crowded',
    manifest_version: 1,
    capabilities: [{ id: 'weekly', name: 'Weekly report' }],
    dependencies: { max_concurrency: 1 },
  });
  await reach.register('crowded', 'a', { address: 'http://10.0.0.1' });
  const came = reach.instance('crowded', 'a');
  reach.heartbeat('crowded', 'a', { pending: 1 });
  expect(reach.instance('crowded', 'a')).toMatchObject({
    state: 'busy',
    reason: expect.stringMatching(/^1 call/),
  });
  reach.heartbeat('crowded', 'a', { pending: 0 });
  const { state, reason, since, history } = reach.instance('crowded', 'a');
  expect([state, reason, history]).toEqual(['up', 'it has room again', came.history]);
  expect(Date.parse(since)).toBeGreaterThanOrEqual(Date.parse(came.since));
});

test('what is wrong with a call is told by its code and place', async () => {
  await call('PUT', '/b', { address: 'http://10.0.0.1', incarnation: 5 });
  await call('POST', '/b/heartbeat', { seq: 3 });
  const problems: [Promise<{ status: number; body: Record<string, unknown> }>, number, string, string?][] = [
    [call('PUT', '/b', { address: 'http://10.0.0.2' }), 409, 'INSTANCE_TAKEN'],
    [call('PUT', '/b', { address: 'http://10.0.0.1', incarnation: 4 }), 409, 'INSTANCE_REPLACED'],
    [call('PUT', '/c', { address: 'http://user:pw@10.0.0.1' }), 422, 'ADDRESS_FORBIDDEN', '/address'],
    [call('PUT', '/c', { address: 'http://10.0.0.1', colour: 1 }), 422, 'INVALID_REQUEST', '/colour'],
    [call('PUT', '/c', { address: 'http://10.0.0.1', weight: 10_001 }), 422, 'INVALID_REQUEST', '/weight'],
    [call('PUT', '/%20c', { address: 'http://10.0.0.1' }), 422, 'INVALID_REQUEST', '/instance_id'],
    [call('POST', '/b/heartbeat', { seq: 3 }), 409, 'HEARTBEAT_STALE'],
    [call('POST', '/b/heartbeat', { sent_at: Date.now() + 90_000 }), 422, 'INVALID_REQUEST', '/sent_at'],
    [call('POST', '/b/heartbeat', { load: 1.5 }), 422, 'INVALID_REQUEST', '/load'],
    [call('POST', '/b/heartbeat', { incarnation: 4 }), 409, 'INSTANCE_REPLACED'],
    [call('POST', '/nobody/heartbeat', {}), 404, 'INSTANCE_UNKNOWN'],
    [call('POST', '/static/heartbeat', {}), 404, 'INSTANCE_UNKNOWN'],
    [call('POST', '/static/drain'), 409, 'INSTANCE_STATIC'],
    [call('DELETE', '/static'), 409, 'INSTANCE_STATIC'],
    [call('DELETE', '/b?incarnation=4'), 409, 'INSTANCE_REPLACED'],
    [call('DELETE', '/b?incarnation=x'), 422, 'INVALID_REQUEST', '/incarnation'],
  ];
  for (const [answer, status, code, pointer] of problems) {
    expect(await answer).toMatchObject({
      status,
      body: { code, errors: pointer === undefined ? [] : [{ pointer }] },
    });
  }
  expect(await call('DELETE', '/b?incarnation=5')).toMatchObject({ status: 200 });
  const incarnation = Number.MAX_SAFE_INTEGER;
  await call('PUT', '/b', { address: 'http://10.0.0.1', incarnation });
  expect(await call('DELETE', `/b?incarnation=${incarnation}`)).toMatchObject({ status: 200 });
});

test('a loopback address that another machine registers is refused with the reason', async () => {
  const app = await createHttpApp(reach, new WorkGate(), logger);
  const put = (remoteAddress: string) =>
    app.inject({
      method: 'PUT',
      url: '/api/v1/agents/reports/instances/d',
      remoteAddress,
      payload: { address: 'http://[::1]:9595' },
    });
  const refused = await put('198.51.100.7');
  expect(refused.json()).toMatchObject({
    code: 'ADDRESS_FORBIDDEN',
    detail: expect.stringContaining('198.51.100.7 is another one'),
    errors: [{ pointer: '/address' }],
  });
  expect((await put('127.0.0.1')).statusCode).toBe(200);
  await reach.leave('reports', 'd');
  await app.close();
});
