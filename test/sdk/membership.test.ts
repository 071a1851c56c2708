import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { Membership } from '../../sdk/src/agent/membership.js';
import { ContractService, contractService, problem, type SeenCall } from './contract-service.js';
import { call, heldTasks, manifestOf, PATIENCE, SILENT, testAgent } from './test-agent.js';

function toldLines() {
  const lines: string[] = [];
  const logger = {
    ...SILENT,
    info: (line: string) => lines.push(line),
    warn: (line: string) => lines.push(line),
  };
  return { lines, logger };
}

const statesOf = (calls: readonly SeenCall[]) => calls.map(({ body }) => body.state);

describe('an agent that is given a service', () => {
  test('publishes, registers, beats with what it has to do, and leaves when it closes', async () => {
    const service = await contractService();
    let finish = (_: unknown) => {};
    const echo = () =>
      new Promise((resolve) => {
        finish = resolve;
      });
    const started = Date.now();
    const labels = { env: 'test', Some_Label: 'x' };
    const agent = await testAgent({
      reach: service.url,
      instanceId: 'echo-1',
      handlers: { echo },
      weight: 5,
      region: 'east',
      labels,
      version: '1.2',
    });
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    const running = call(agent, {});
    await expect
      .poll(() => service.seen('POST heartbeat').some(({ body }) => body.pending === 1), PATIENCE)
      .toBe(true);
    finish('done');
    await running;
    await expect.poll(() => service.seen('POST heartbeat').at(-1)?.body.pending, PATIENCE).toBe(0);
    await agent.close();

    expect(service.calls[0]).toMatchObject({ path: '/agents/echo-agent/manifest', body: manifestOf() });
    const [registration] = service.seen('PUT instance');
    expect(registration?.path).toBe('/agents/echo-agent/instances/echo-1');
    const { incarnation, ...body } = registration?.body ?? {};
    expect(body).toEqual({ address: agent.address, weight: 5, region: 'east', labels, version: '1.2' });
    expect(Number(incarnation)).toBeGreaterThanOrEqual(started);
    const beats = service.seen('POST heartbeat');
    expect(beats.map(({ body: { seq } }) => seq)).toEqual(beats.map((_, index) => index + 1));
    for (const { body: beat } of beats) {
      expect(beat).toMatchObject({ incarnation, load: expect.any(Number), pending: expect.any(Number) });
      expect(beat.load).toBeGreaterThanOrEqual(0);
      expect(beat.load).toBeLessThanOrEqual(1);
    }
    expect(service.calls.filter(({ status }) => status !== 200)).toEqual([]);
    const ending = service.calls
      .map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)
      .filter((call) => call !== 'POST heartbeat')
      .slice(-2);
    expect(ending).toEqual(['POST drain', 'DELETE echo-1']);
  });

  test('later than it started registers then, with the work that it has, and only once', async () => {
    const service = await contractService();
    const { tasks, handlers, begun } = heldTasks();
    const agent = await testAgent({ handlers });
    const running = call(agent, {});
    await begun(1);
    expect(agent.state).toBe('unregistered');
    expect(() => agent.join('localhost:8080')).toThrow(TypeError);
    agent.join([service.url]);
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    await expect.poll(() => service.seen('POST heartbeat').at(0)?.body.pending, PATIENCE).toBe(1);
    expect(() => agent.join(service.url)).toThrow('joined a service already');
    tasks[0]?.finish('done');
    await running;
    await agent.close();
    expect(service.seen('DELETE instance')).toHaveLength(1);
    const ended = await testAgent();
    await ended.close();
    ended.join(service.url);
    await ended.close();
    expect(service.seen('PUT instance')).toHaveLength(1);
  });

  test('beats as often as it is asked to, a tenth sooner at most', async () => {
    const service = await contractService();
    service.intervalMs = 400;
    await testAgent({ reach: service.url });
    await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(8);
    const times = service.seen('POST heartbeat').map(({ at }) => at);
    const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
    // Timers of a busy machine are late, never early.
    expect(Math.min(...gaps)).toBeGreaterThan(0.85 * service.intervalMs);
    expect(gaps.toSorted((a, b) => a - b)[gaps.length >> 1]).toBeLessThan(1.5 * service.intervalMs);
    expect(new Set(gaps.map(Math.round)).size).toBeGreaterThan(1);
  });

  test('obeys pause and resume', async () => {
    const service = await contractService();
    const agent = await testAgent({ reach: service.url });
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    service.commands = ['pause'];
    await expect.poll(() => agent.state, PATIENCE).toBe('paused');
    const refused = await call(agent, {});
    expect(refused).toMatchObject({ status: 503, body: { code: 'NOT_READY' } });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    await expect.poll(() => service.seen('POST heartbeat').at(-1)?.body.state, PATIENCE).toBe('paused');
    service.commands = ['resume'];
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    service.commands = [];
    expect((await call(agent, {})).status).toBe(200);
    expect(statesOf(service.seen('POST heartbeat'))[0]).toBe('up');
  });

  test('a runtime change lost at restart: a pause that the service has forgotten does not hold for ever', async () => {
    const service = await contractService();
    const agent = await testAgent({ reach: service.url });
    service.commands = ['pause'];
    await expect.poll(() => agent.state, PATIENCE).toBe('paused');
    service.commands = [];
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
  });

  test('publishes and registers again where the service has forgotten it', async () => {
    const service = await contractService();
    const agent = await testAgent({ reach: service.url });
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    service.forget();
    await expect.poll(() => service.seen('PUT instance').length, PATIENCE).toBe(2);
    await expect.poll(() => service.seen('POST heartbeat').at(-1)?.status, PATIENCE).toBe(200);
    const unknown = service.calls.findIndex(({ status }) => status === 404);
    const after = service.calls
      .slice(unknown + 1, unknown + 4)
      .map(({ method, path }) => `${method} ${path}`);
    const path = `/agents/echo-agent/instances/${encodeURIComponent(agent.instanceId)}`;
    expect(after).toEqual(['PUT /agents/echo-agent/manifest', `PUT ${path}`, `POST ${path}/heartbeat`]);
  });

  test('that was replaced stops its beats, says so, and takes nothing from its successor when it ends', async () => {
    const service = await contractService();
    const { lines, logger } = toldLines();
    const older = await testAgent({ reach: service.url, instanceId: 'echo-1', logger });
    await expect.poll(() => older.state, PATIENCE).toBe('up');
    const newer = await testAgent({ reach: service.url, instanceId: 'echo-1' });
    await expect.poll(() => older.state, PATIENCE).toBe('replaced');
    expect(lines.at(-1)).toMatch(/^Another program has the place of echo-1/);
    await older.close();
    expect(service.seen('DELETE instance')).toEqual([]);
    const incarnations = service.seen('PUT instance').map(({ body }) => Number(body.incarnation));
    expect(incarnations).toEqual(incarnations.toSorted((a, b) => a - b));
    const before = service.seen('POST heartbeat').length;
    await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(before + 3);
    const beating = service
      .seen('POST heartbeat')
      .slice(before)
      .map(({ body }) => body.incarnation);
    expect(new Set(beating)).toEqual(new Set([incarnations[1]]));
    expect(newer.state).toBe('up');
  });

  test.each([
    ['MANIFEST_MANAGED_BY_FOLDER', 0],
    ['MANIFEST_VERSION_STALE', 1],
    ['MANIFEST_BREAKING', 1],
  ])('registers all the same where its manifest is refused as %s', async (code, told) => {
    const service = await contractService();
    service.overrides.set('PUT manifest', problem(409, code));
    const { lines, logger } = toldLines();
    const agent = await testAgent({ reach: service.url, logger });
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
    expect(lines.filter((line) => line.includes('not published'))).toHaveLength(told);
  });

  test('serves, tells once and keeps trying while a service does not know instances at all', async () => {
    const service = await contractService();
    service.overrides.set('PUT instance', problem(404, 'NOT_FOUND'));
    const { lines, logger } = toldLines();
    const agent = await testAgent({ reach: service.url, logger });
    await expect.poll(() => service.seen('PUT instance').length, PATIENCE).toBeGreaterThan(2);
    expect((await call(agent, {})).status).toBe(200);
    expect(agent.state).toBe('unregistered');
    expect(lines).toEqual([expect.stringMatching(/keeps trying: NOT_FOUND/)]);
    service.overrides.clear();
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
  });

  test('serves while the service is away, and goes on beating when it is back', async () => {
    const service = new ContractService();
    await service.start();
    await service.stop();
    const { lines, logger } = toldLines();
    const agent = await testAgent({ reach: service.url, logger });
    await expect.poll(() => lines.length, PATIENCE).toBe(1);
    expect(await call(agent, { payload: { a: 1 } })).toMatchObject({ status: 200 });
    await service.start();
    await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(0);
    await service.stop();
    await expect.poll(() => lines.length, PATIENCE).toBe(3);
    await service.start();
    const before = service.seen('POST heartbeat').length;
    await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(before);
    expect(service.seen('PUT instance')).toHaveLength(1);
    expect(lines.map((line) => /^Registered|keeps trying/.exec(line)?.[0])).toEqual([
      'keeps trying',
      'Registered',
      'keeps trying',
    ]);
    await agent.close();
    expect(service.seen('DELETE instance')).toHaveLength(1);
    await service.stop();
  });

  test('takes the next address of a service whose first does not answer', async () => {
    const gone = new ContractService();
    await gone.start();
    await gone.stop();
    const service = await contractService();
    const agent = await testAgent({ reach: [gone.url, service.url] });
    await expect.poll(() => agent.state, PATIENCE).toBe('up');
  });

  test('waits as long as a service that is not ready asks it to', async () => {
    const service = await contractService();
    service.overrides.set('PUT manifest', problem(503, 'NOT_READY'));
    service.retryAfterS = 2;
    await testAgent({ reach: service.url });
    await expect.poll(() => service.seen('PUT manifest').length, PATIENCE).toBe(2);
    const [first, second] = service.seen('PUT manifest');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(1_900);
  });
});

test('an agent that drains before its service knows it registers as one that takes nothing new', async () => {
  const service = await contractService();
  const registration = { address: 'http://127.0.0.1:9595', incarnation: 1 };
  const setup = { reach: [service.url], manifest: manifestOf(), instanceId: 'echo-1', registration };
  const measured = () => ({ pending: 0, load: 0 });
  const member = new Membership(setup, { measured, onState() {}, onLog() {} });
  await member.drain();
  const running = member.run();
  await expect.poll(() => service.seen('POST heartbeat').length, PATIENCE).toBeGreaterThan(0);
  await member.leave();
  await running;
  expect(service.seen('PUT instance').map(({ body }) => body)).toEqual([{ ...registration, draining: true }]);
  expect(service.seen('POST heartbeat')[0]?.body.state).toBe('draining');
});

test('heartbeat floods: 100 agents whose service was away do not come back together', async () => {
  const service = new ContractService();
  service.intervalMs = 60_000;
  await service.start();
  await service.stop();
  const members = Array.from({ length: 100 }, (_, index) => {
    const registration = { address: `http://127.0.0.1:${10_000 + index}`, incarnation: 1 };
    return new Membership(
      { reach: [service.url], manifest: manifestOf(), instanceId: `echo-${index}`, registration },
      { measured: () => ({ pending: 0, load: 0 }), onState() {}, onLog() {} },
    );
  });
  const running = Promise.all(members.map((member) => member.run()));
  // Until most of them have failed several times, and their waits have drifted apart.
  await sleep(2_000);
  await service.start();
  const back = performance.now();
  await expect.poll(() => service.seen('PUT instance').length, PATIENCE).toBe(100);
  const waits = service.seen('PUT instance').map(({ at }) => at - back);
  const inTenth = (tenth: number) => waits.filter((wait) => Math.floor(wait / 100) === tenth).length;
  expect(Math.max(...waits.map((wait) => inTenth(Math.floor(wait / 100))))).toBeLessThan(25);
  expect(service.calls).toHaveLength(200);
  await Promise.all(members.map((member) => member.leave()));
  await running;
  expect(service.seen('DELETE instance')).toHaveLength(100);
  await service.stop();
});
