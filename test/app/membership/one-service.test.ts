import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Service, serve } from '../../../src/app.js';
import { kitAgent } from '../../support/kit-agent.js';
import { until } from '../../support/until.js';
import { Callers } from './callers.js';
import { answers, HttpInstance } from './http-instance.js';
import { ServiceUser } from './service-user.js';

// Everything as it is in earnest: one service with its model and prober, over HTTP, agents in processes of their own.
// All of it happens at the same time, so that what befalls one agent is shown to touch no other.

const PROBE_MS = 5_500;
const PROBE_TIMEOUT_MS = 2_000;
/** For a machine that is busy with other things. */
const PATIENCE_MS = 10_000;
/** How long an instance that fell stays out where nothing speaks for it. */
const LEAST_DOWN_MS = 60_000;
const DECISIONS = 50;

let service: Service;
let user: ServiceUser;
beforeAll(async () => {
  service = await serve({ data: null, manifests: null, port: 0, logLevel: 'silent', englishModel: false });
  user = new ServiceUser(service.address);
});
afterAll(async () => {
  await user.close();
  await service.close();
});

/** Waits for a state of an instance, through several probes. */
function untilState(agentName: string, instanceId: string, state: string): Promise<void> {
  return until(async () => (await stateOf(agentName, instanceId)) === state, LEAST_DOWN_MS);
}

async function stateOf(agentName: string, instanceId: string): Promise<string> {
  return (await user.instance(agentName, instanceId)).state;
}

/** Whom the next decisions name, one asked after the other. */
async function decided(agentName: string, count = DECISIONS): Promise<Set<string | null>> {
  const named = new Set<string | null>();
  for (let i = 0; i < count; i++) named.add((await user.decide(agentName)).instanceId);
  return named;
}

/** Two instances of an agent of the kit, each a process. */
async function twoProcesses(agentName: string, whenOver: (end: () => void) => void) {
  const ids = ['one', 'other'];
  const [one, other] = await Promise.all(ids.map((id) => kitAgent(user.url, agentName, id, whenOver)));
  await until(async () => (await user.instances(agentName)).length === 2);
  if (one === undefined || other === undefined) throw new Error('two were started');
  return { one, other };
}

describe.concurrent('in one service', { timeout: 180_000 }, () => {
  test('kill -9: each caller sees one failed attempt at most, no request is lost, decisions avoid it after that attempt, and the table has it down within three probes', async ({
    onTestFinished,
  }) => {
    const { one } = await twoProcesses('killed', onTestFinished);
    const callers = new Callers(user, 'killed', onTestFinished, { payload: { waitMs: 20 } });
    await until(() => callers.answers.every((own) => own.length > 10));
    await one.end('SIGKILL');
    const killedAt = performance.now();
    await until(() => callers.answers.some((own) => callers.failedAttempts(own).length > 0));
    expect(await decided('killed')).toEqual(new Set(['other']));
    await untilState('killed', 'one', 'down');
    expect(performance.now() - killedAt).toBeLessThan(3 * PROBE_MS + PROBE_TIMEOUT_MS + PATIENCE_MS);
    const { lost, failedOfEach } = await callers.end();
    expect(lost).toEqual([]);
    for (const failed of failedOfEach) expect(failed).toBeLessThanOrEqual(1);
    const reason = expect.stringMatching(/^3 probes failed: /);
    await until(() => expect(user.changesOf('killed', 'one').at(-1)).toMatchObject({ to: 'down', reason }));
    expect((await user.instance('killed', 'one')).reason).toEqual(reason);
  });

  test('a clean exit reported as lost: SIGTERM of an agent loses no request, is told as left, and never as down or expired', async ({
    onTestFinished,
  }) => {
    const { one } = await twoProcesses('leaving', onTestFinished);
    const callers = new Callers(user, 'leaving', onTestFinished, { payload: { waitMs: 200 } });
    await until(() => callers.answers.every((own) => own.length > 2));
    expect(await one.end('SIGTERM')).toEqual([0, null]);
    expect(await decided('leaving')).toEqual(new Set(['other']));
    // Longer than it would take to notice that somebody is gone.
    await sleep(3 * PROBE_MS);
    expect((await callers.end()).lost).toEqual([]);
    const told = user.changesOf('leaving', 'one');
    expect(told.at(-1)).toMatchObject({ to: null, reason: 'left' });
    expect(told.map(({ to }) => to).filter((to) => to === 'down' || to === 'expired')).toEqual([]);
    expect((await user.instances('leaving')).map(({ instance_id }) => instance_id)).toEqual(['other']);
  });

  test('a busy node declared dead: one whose work blocks it is fenced while it beats, completes that work, and is back without a minute of waiting', async ({
    onTestFinished,
  }) => {
    await twoProcesses('busy', onTestFinished);
    const deadlines = { seekMs: 30_000, executeMs: 60_000 };
    const options = { agentName: 'busy', hint: 'one', deadlines };
    const blocking = user.reach.dispatch(null, { blockMs: 22_000 }, options);
    await untilState('busy', 'one', 'fenced');
    expect(await decided('busy')).toEqual(new Set(['other']));
    expect(await blocking).toMatchObject({ state: 'completed', attempts: [{ instanceId: 'one' }] });
    await untilState('busy', 'one', 'up');
    const { history } = await user.instance('busy', 'one');
    const fell = history.findLast(({ to }) => to === 'down' || to === 'fenced');
    expect(Date.now() - Date.parse(fell?.at ?? '')).toBeLessThan(LEAST_DOWN_MS);
    expect(await decided('busy')).toEqual(new Set(['one', 'other']));
  });

  test('a cut of the probe path alone fences within three probes and has the instance pause; lifted, it is back after five successes without a minute of waiting, and no request is lost', async ({
    onTestFinished,
  }) => {
    await user.publish('cut');
    const [one, other] = await Promise.all([
      HttpInstance.open(onTestFinished),
      HttpInstance.open(onTestFinished),
    ]);
    await Promise.all([one.join(user, 'cut', 'one'), other.join(user, 'cut', 'other')]);
    await until(() => one.probes > 0);
    const callers = new Callers(user, 'cut', onTestFinished, { count: 2 });
    one.cutProbes();
    const cutAt = performance.now();
    // It works and beats all along.
    const { commands } = one;
    await untilState('cut', 'one', 'fenced');
    expect(performance.now() - cutAt).toBeLessThan(4 * PROBE_MS + PATIENCE_MS);
    expect(await decided('cut')).toEqual(new Set(['other']));
    await until(() => commands.includes('pause'));
    const probesBefore = one.probes;
    await one.restoreProbes();
    await untilState('cut', 'one', 'up');
    expect(one.probes - probesBefore).toBeGreaterThanOrEqual(5);
    expect(performance.now() - cutAt).toBeLessThan(LEAST_DOWN_MS);
    expect(new Set(commands.slice(0, -1))).toEqual(new Set(['pause']));
    expect(commands.at(-1)).toBe('resume');
    expect(await decided('cut')).toEqual(new Set(['one', 'other']));
    expect(await callers.end()).toEqual({ lost: [], failedOfEach: [0, 0] });
    const told = user.changesOf('cut', 'one').map(({ to }) => to);
    expect(told).not.toContain('down');
  });

  test('a list that shows "offline" while a call succeeds: one whose probes fail while its calls are answered is listed as fenced and gets none, never as dead', async ({
    onTestFinished,
  }) => {
    await user.publish('called');
    const [one, other] = await Promise.all([
      HttpInstance.open(onTestFinished),
      HttpInstance.open(onTestFinished),
    ]);
    await Promise.all([one.join(user, 'called', 'one'), other.join(user, 'called', 'other')]);
    const callers = new Callers(user, 'called', onTestFinished, { count: 2 });
    one.health = answers(503);
    await untilState('called', 'one', 'fenced');
    expect(await decided('called')).toEqual(new Set(['other']));
    expect(await callers.end()).toEqual({ lost: [], failedOfEach: [0, 0] });
    expect(user.changesOf('called', 'one').map(({ to }) => to)).not.toContain('down');
  });

  test('a paused one and a draining one get no decision from the very next one on', async ({
    onTestFinished,
  }) => {
    await user.publish('steered');
    const other = await HttpInstance.open(onTestFinished);
    await other.join(user, 'steered', 'other');
    // Beats as the test says.
    await user.register('steered', 'one', other.registration);
    for (let round = 0; round < 10; round++) {
      await user.heartbeat('steered', 'one', { state: 'up' });
      expect(await decided('steered', 5)).toEqual(new Set(['one', 'other']));
      await user.heartbeat('steered', 'one', { state: 'paused' });
      expect(await decided('steered', 5)).toEqual(new Set(['other']));
    }
    await user.heartbeat('steered', 'one', { state: 'up' });
    await user.reach.drain('steered', 'one');
    expect(await decided('steered')).toEqual(new Set(['other']));
    expect(await stateOf('steered', 'one')).toBe('draining');
  });

  test('a missing login counted as unreachable: what answers probes or calls with 401 needs a login, and is never down', async ({
    onTestFinished,
  }) => {
    await Promise.all([user.publish('locked'), user.publish('guarded')]);
    const open = () => HttpInstance.open(onTestFinished);
    const [locked, guarded, other] = await Promise.all([open(), open(), open()]);
    locked.health = answers(401);
    guarded.execute = answers(401);
    await Promise.all([
      locked.join(user, 'locked', 'one'),
      other.join(user, 'locked', 'other'),
      guarded.join(user, 'guarded', 'one'),
    ]);
    const called = await user.reach.dispatch(null, {}, { agentName: 'guarded' });
    expect(called).toMatchObject({ state: 'failed', error: { code: 'AGENT_NEEDS_AUTH' } });
    await until(() => Math.min(locked.probes, guarded.probes) >= 4);
    for (const agentName of ['locked', 'guarded']) {
      expect(await user.instance(agentName, 'one')).toMatchObject({
        state: 'needs_auth',
        reachability: expect.closeTo(1, 1),
      });
      expect(user.changesOf(agentName, 'one').map(({ to }) => to)).not.toContain('down');
    }
    expect(await decided('locked')).toEqual(new Set(['other']));
    expect(await user.decide('guarded')).toMatchObject({ outcome: 'unreachable' });
    locked.health = answers(204);
    await untilState('locked', 'one', 'up');
  });

  test('a failed call marking a whole gateway down: calls of one agent that fail or break their connection touch no other behind the same address', async ({
    onTestFinished,
  }) => {
    const names = ['failing', 'breaking', 'well', 'also-well'].map((name) => `gateway-${name}`);
    const [failing = '', breaking = '', ...well] = names;
    const gateway = await HttpInstance.open(onTestFinished);
    const { execute } = gateway;
    gateway.execute = (request, response) => {
      if (request.url === `/${failing}`) return answers(500)(request, response);
      if (request.url === `/${breaking}`) return request.socket.resetAndDestroy();
      return execute(request, response);
    };
    for (const name of names) {
      await user.publish(name, { execute_endpoint: `/${name}` });
      await gateway.join(user, name, 'one');
    }
    const callers = well.map((name) => new Callers(user, name, onTestFinished, { count: 2 }));
    for (const agentName of [failing, breaking]) {
      for (let i = 0; i < 12; i++) {
        expect(await user.reach.dispatch(null, {}, { agentName })).toMatchObject({ state: 'failed' });
      }
    }
    await until(() => callers.every(({ answers: all }) => all.every((own) => own.length > 10)));
    for (const each of callers) expect(await each.end()).toEqual({ lost: [], failedOfEach: [0, 0] });
    // Too many of their calls have failed: that is theirs alone.
    for (const name of [failing, breaking])
      expect(await user.decide(name)).toMatchObject({ outcome: 'unreachable' });
    for (const name of well) {
      expect(await user.instance(name, 'one')).toMatchObject({
        state: 'up',
        reachability: expect.closeTo(1, 1),
      });
      expect(user.changesOf(name, 'one').map(({ to }) => to)).toEqual(['up']);
    }
  });

  test('a probe target that answers 10 MB, never ends, redirects or sends one header a second is out after three probes, with the reason, and the others are not', async ({
    onTestFinished,
  }) => {
    const well = await HttpInstance.open(onTestFinished);
    const faults: Record<string, [RequestListener, RegExp]> = {
      'ten-megabytes': [(_, response) => void response.end(Buffer.alloc(10_000_000)), /^3 probes failed: /],
      endless: [(_, response) => void response.write('x'), /^3 probes failed: /],
      redirecting: [
        (_, response) => void response.writeHead(302, { location: well.registration.health_address }).end(),
        /^3 probes failed: it answered 302/,
      ],
      'one-header-a-second': [
        ({ socket }) => {
          socket.write('HTTP/1.1 200 OK\r\n');
          const drip = setInterval(() => socket.write('x: y\r\n'), 1_000);
          socket.once('close', () => clearInterval(drip));
        },
        /^3 probes failed: /,
      ],
    };
    await user.publish('hostile');
    await well.join(user, 'hostile', 'well');
    for (const [id, [health]] of Object.entries(faults)) {
      const instance = await HttpInstance.open(onTestFinished);
      instance.health = health;
      await instance.join(user, 'hostile', id);
    }
    for (const [id, [, reason]] of Object.entries(faults)) {
      const isOut = async () => ['fenced', 'down'].includes(await stateOf('hostile', id));
      await until(isOut, LEAST_DOWN_MS);
      expect((await user.instance('hostile', id)).reason).toMatch(reason);
    }
    expect(await decided('hostile')).toEqual(new Set(['well']));
    expect(await stateOf('hostile', 'well')).toBe('up');
  });
});

test('a list that shows "offline" while a call succeeds: nobody was listed as out who completed a call then, whatever happened above', () => {
  expect(Callers.compared.contradictions).toEqual([]);
  expect(Callers.compared.count).toBeGreaterThan(500);
});
