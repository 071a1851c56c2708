import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { serve } from '../../../src/app.js';
import { freePort } from '../../support/free-port.js';
import { kitAgent } from '../../support/kit-agent.js';
import { serviceProcess } from '../../support/service-process.js';
import { temporaryFolder } from '../../support/temporary-folder.js';
import { until } from '../../support/until.js';
import { Callers } from './callers.js';
import { answers, HttpInstance, type WhenOver } from './http-instance.js';
import { ServiceUser } from './service-user.js';

// What befalls a service as a whole, so each has one of its own.

const FLEET = 8;
/** More than half of them, and enough to say something. */
const FAILING = 5;
const PROBES_MS = 60_000;
const SERVICE = { data: null, manifests: null, port: 0, logLevel: 'silent', englishModel: false } as const;

async function ownService(whenOver: WhenOver): Promise<ServiceUser> {
  const service = await serve(SERVICE);
  whenOver(() => service.close());
  const user = new ServiceUser(service.address);
  whenOver(() => user.close());
  return user;
}

async function fleetOf(user: ServiceUser, agentName: string, whenOver: WhenOver): Promise<HttpInstance[]> {
  await user.publish(agentName);
  const opened = Array.from({ length: FLEET }, () => HttpInstance.open(whenOver));
  const fleet = await Promise.all(opened);
  await Promise.all(fleet.map((instance, index) => instance.join(user, agentName, `i${index}`)));
  await until(() => fleet.every(({ probes }) => probes > 0));
  return fleet;
}

async function statesOf(user: ServiceUser, agentName: string): Promise<string[]> {
  return (await user.instances(agentName)).map(({ state }) => state);
}

/** What a restart must not change. */
async function lastingOf(user: ServiceUser, agentName: string) {
  const instances = await user.instances(agentName);
  return instances
    .map(({ instance_id, address, addr_version, weight, draining, incarnation, origin }) => ({
      ...{ instance_id, address, addr_version, weight, draining, incarnation, origin },
    }))
    .sort((a, b) => a.instance_id.localeCompare(b.instance_id));
}

describe.concurrent('a service of its own', { timeout: 180_000 }, () => {
  test('half of a fleet ejected with nobody told: most of it silent at once ejects nobody, and is told by /health and a notice, as is its end', async ({
    onTestFinished,
  }) => {
    const user = await ownService(onTestFinished);
    const fleet = await fleetOf(user, 'silent', onTestFinished);
    const failing = fleet.slice(0, FAILING);
    for (const instance of failing) instance.cutProbes();
    const told = expect.stringContaining('our own network is taken to be at fault');
    await until(
      async () => expect((await user.health()).reachability).toMatchObject({ detail: told }),
      PROBES_MS,
    );
    expect(await user.health()).toMatchObject({ status: 'degraded', reachability: { state: 'degraded' } });
    await until(() => expect(user.notices).toContainEqual(told));
    // Three rounds more take nobody out: whoever is asked works.
    const [working] = fleet.slice(FAILING);
    const probesBefore = working?.probes ?? 0;
    const callers = new Callers(user, 'silent', onTestFinished);
    await until(() => (working?.probes ?? 0) >= probesBefore + 3);
    for (const state of await statesOf(user, 'silent')) expect(['up', 'degraded']).toContain(state);
    expect((await callers.end()).lost).toEqual([]);
    await Promise.all(failing.map((instance) => instance.restoreProbes()));
    await until(async () => expect((await user.health()).reachability.state).toBe('ok'), PROBES_MS);
    await until(() => expect(user.notices.at(-1)).toMatch(/^\d of 8 probed instances answer well/));
    for (const { to } of user.changes) expect(to).not.toBe('down');
  });

  test('half of a fleet ejected with nobody told: most of it in error at once is ejected, each with its reason, and told by /health and a notice', async ({
    onTestFinished,
  }) => {
    const user = await ownService(onTestFinished);
    const fleet = await fleetOf(user, 'erring', onTestFinished);
    for (const instance of fleet.slice(0, FAILING)) instance.health = answers(500);
    const told = expect.stringMatching(/3 of 8 probed instances answer well; 5 answer with an error/);
    const outOf = async () =>
      (await statesOf(user, 'erring')).filter((state) => state === 'fenced' || state === 'down');
    await until(async () => expect(await outOf()).toHaveLength(FAILING), PROBES_MS);
    expect(await user.health()).toMatchObject({
      status: 'degraded',
      reachability: { state: 'degraded', detail: told },
    });
    await until(() => {
      expect(user.notices).toContainEqual(expect.stringContaining('answer with an error'));
      const ejected = user.changes.filter(({ to }) => to === 'fenced' || to === 'down');
      expect(new Set(ejected.map(({ instance }) => instance)).size).toBe(FAILING);
      for (const { reason } of ejected) expect(reason).toContain('3 probes failed: it answered 500');
    });
  });

  test('a runtime change lost at restart: after SIGTERM and after kill -9 weights, drains, instances and versions of addresses are there again, and agents beat on without registering anew', async ({
    onTestFinished,
  }) => {
    const data = await temporaryFolder(onTestFinished);
    const manifests = join(data, 'manifests');
    await mkdir(manifests);
    const port = String(await freePort());
    const args = ['--port', port, '--data', data, '--manifests', manifests];
    const start = () => serviceProcess(args, onTestFinished);
    let service = await start();
    const user = new ServiceUser(service.url);
    onTestFinished(() => user.close());
    const agent = await kitAgent(service.url, 'lasting', 'kit', onTestFinished);
    const [gray, drained] = await Promise.all([
      HttpInstance.open(onTestFinished),
      HttpInstance.open(onTestFinished),
    ]);
    await Promise.all([gray.join(user, 'lasting', 'gray'), drained.join(user, 'lasting', 'drained')]);
    await until(async () => (await user.instances('lasting')).length === 3);
    await user.reach.drain('lasting', 'drained');

    for (const [signal, code, weight] of [
      ['SIGTERM', 0, 5],
      ['SIGKILL', null, 95],
    ] as const) {
      await user.register('lasting', 'gray', { ...gray.registration, weight });
      const before = await lastingOf(user, 'lasting');
      expect(before).toMatchObject([{ draining: true }, { weight }, { instance_id: 'kit' }]);
      expect(await service.end(signal)).toBe(code);
      service = await start();
      expect(await lastingOf(user, 'lasting')).toEqual(before);
      const { addr_version } = await user.register('lasting', `after-${signal}`, drained.registration);
      expect(addr_version).toBeGreaterThan(Math.max(...before.map(({ addr_version: version }) => version)));
      await user.leave('lasting', `after-${signal}`);
    }
    await until(async () => {
      for (const { last_heartbeat } of await user.instances('lasting')) expect(last_heartbeat).not.toBeNull();
    });
    const registered = agent.lines.filter((line) => line.startsWith('Registered as'));
    expect(registered).toHaveLength(1);
    for (const { refusals } of [gray, drained]) {
      for (const refusal of refusals) expect(refusal).not.toContain('INSTANCE_UNKNOWN');
    }
    expect(await agent.end('SIGTERM')).toEqual([0, null]);
    expect((await lastingOf(user, 'lasting')).map(({ instance_id }) => instance_id)).toEqual([
      'drained',
      'gray',
    ]);
  });
});
