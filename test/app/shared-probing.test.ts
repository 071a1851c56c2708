import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { httpServer } from '../support/local-servers.js';
import { describeWithRedis, freshRedisUrl } from '../support/redis.js';
import { type ServiceProcess, serviceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

const INSTANCES = Array.from({ length: 12 }, (_, index) => `i${index}`);
const PROBED_EVERY_MS = 5_000;
/** Until others do what a replica did that was killed. */
const TAKEN_OVER_MS = 10_000;

/** Instances that are probed, and when each was. */
async function probedFleet() {
  const probes = new Map(INSTANCES.map((id) => [id, [] as number[]]));
  const broken = new Set<string>();
  const { port } = await httpServer((request, response) => {
    const id = request.url?.split('/')[1] ?? '';
    probes.get(id)?.push(performance.now());
    response.writeHead(broken.has(id) ? 500 : 200).end();
  });
  const instances = INSTANCES.map((id) => ({ instance_id: id, address: `http://127.0.0.1:${port}/${id}` }));
  const manifest = {
    agent_name: 'parking-agent',
    manifest_version: 1,
    capabilities: [{ id: 'reserve', name: 'Reserve a parking space' }],
    instances,
  };
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'parking-agent.json'), JSON.stringify(manifest));
  const since = (moment: number) =>
    INSTANCES.map((id) => (probes.get(id) ?? []).filter((at) => at > moment).length);
  return { folder, broken, since };
}

async function asked<Answer>({ url }: ServiceProcess, path: string): Promise<Answer> {
  return (await (await fetch(`${url}${path}`)).json()) as Answer;
}

async function livingOf(service: ServiceProcess): Promise<number> {
  const { replicas } = await asked<{ replicas: { living: number } }>(service, '/health');
  return replicas.living;
}

async function stateOf(service: ServiceProcess, instanceId: string): Promise<string> {
  return (await asked<{ state: string }>(service, `/api/v1/agents/parking-agent/instances/${instanceId}`))
    .state;
}

describeWithRedis('three processes on one Redis', () => {
  test('share out the probes, show the same states, and take over from one that is killed or leaves', async () => {
    const { folder, broken, since } = await probedFleet();
    const store = freshRedisUrl();
    const args = ['--store', store, '--manifests', folder, '--port', '0', '--english-model', 'false'];
    const start = () => serviceProcess(args);
    const services = (await Promise.all([start(), start(), start()])) as [
      ServiceProcess,
      ServiceProcess,
      ServiceProcess,
    ];
    const [first, second, third] = services;
    await until(async () => (await Promise.all(services.map(livingOf))).every((living) => living === 3));
    const health = await asked<{ replicas: object }>(first, '/health');
    expect(health.replicas).toMatchObject({ state: 'ok', detail: '3 replicas live.' });

    const began = performance.now();
    await sleep(2 * PROBED_EVERY_MS);
    const intervals = (performance.now() - began) / PROBED_EVERY_MS;
    for (const count of since(began)) {
      expect(count).toBeGreaterThanOrEqual(1);
      expect(count).toBeLessThanOrEqual(Math.ceil(intervals * 1.2));
    }

    broken.add('i3');
    await until(async () => (await stateOf(first, 'i3')) === 'down');
    await until(async () => (await stateOf(second, 'i3')) === 'down', 2_000);
    await until(async () => (await stateOf(third, 'i3')) === 'down', 2_000);

    const killed = performance.now();
    await third.end('SIGKILL');
    const isProbed = () => since(killed).every((count, place) => INSTANCES[place] === 'i3' || count > 0);
    await until(async () => (await livingOf(first)) === 2 && (await livingOf(second)) === 2, TAKEN_OVER_MS);
    await until(isProbed, TAKEN_OVER_MS + PROBED_EVERY_MS);
    expect(performance.now() - killed).toBeLessThan(TAKEN_OVER_MS + 1_000);

    await second.end('SIGTERM');
    await until(async () => (await livingOf(first)) === 1, 2_000);
    const alone = performance.now();
    await until(() => since(alone).every((count, place) => INSTANCES[place] === 'i3' || count > 0));
    expect(await stateOf(first, 'i3')).toBe('down');
  }, 180_000);
});
