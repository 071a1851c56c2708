import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ReachClient } from 'agent-reach-sdk';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { BALANCER_CONFIG } from '../../benchmarks/support/balancer.js';
import { builtEntry } from '../../src/built-entry.js';
import { SAMPLE_PROGRAMS } from '../../src/demo/sample-programs.js';
import { SETTINGS } from '../../src/settings.js';
import { copyManifests } from '../support/demo-process.js';
import { readDockerfile, restsOf, type Stage } from '../support/dockerfile.js';
import { serviceProcess } from '../support/service-process.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
}

const FOLDER = fileURLToPath(new URL('../../deploy/', import.meta.url));
const { services } = parse(await readFile(join(FOLDER, 'compose.yaml'), 'utf8')) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};
const replicas = Object.entries(services).filter(([name]) => name.startsWith('replica-'));
const service = (name: string) => services[name] as ComposeService;
const [exposed] = restsOf((await readDockerfile(join(FOLDER, 'Dockerfile'))).at(-1) as Stage, 'EXPOSE');

test('three replicas share the Redis, which keeps what it has and drops nothing', async () => {
  expect(replicas).toHaveLength(3);
  const known = Object.values(SETTINGS).map(({ variable }): string => variable);
  for (const [, { environment = {}, build }] of replicas) {
    expect(environment).toMatchObject({
      REACH_STORE: 'redis://redis:6379',
      REACH_PUBLIC_URL: `http://balancer:${exposed}`,
    });
    for (const name of Object.keys(environment)) expect(known).toContain(name);
    await expect(stat(join(FOLDER, build?.context ?? '', build?.dockerfile ?? ''))).resolves.toBeDefined();
  }
  expect(service('redis').command?.join(' ')).toMatch(/--appendonly yes .*--maxmemory-policy noeviction/);
});

test('the balancer is told of all replicas, at the port where they listen, and of nothing else', async () => {
  const { environment = {}, volumes = [], ports = [] } = service('balancer');
  const { BIND, ADMIN, ...places } = environment;
  expect(Object.values(places)).toEqual(replicas.map(([name]) => `${name}:${exposed}`));
  expect(ports[0]).toMatch(new RegExp(`:${BIND?.split(':')[1]}$`));
  const read = [...(await readFile(BALANCER_CONFIG, 'utf8')).matchAll(/\$\{([A-Z_0-9]+)\}/g)];
  expect(new Set(read.map(([, name]) => name))).toEqual(new Set(Object.keys(environment)));
  // roll.sh speaks to it from within.
  expect(await readFile(join(FOLDER, 'roll.sh'), 'utf8')).toContain(
    `nc ${ADMIN?.replace('ipv4@', '').replace(':', ' ')}`,
  );
  await expect(stat(join(FOLDER, volumes[0]?.split(':')[0] ?? ''))).resolves.toBeDefined();
});

test('what a service waits for is there, and all but Redis and the balancer are of one image', () => {
  for (const [name, { depends_on = [], image }] of Object.entries(services)) {
    const awaited = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
    for (const other of awaited) expect(Object.keys(services)).toContain(other);
    if (!['redis', 'balancer'].includes(name)) expect(image).toBe(replicas[0]?.[1].image);
  }
});

test('the sample company joins a service, does its work, and leaves when it ends', {
  timeout: 240_000,
}, async () => {
  const { entrypoint = [], command = [] } = service('agents');
  expect(entrypoint).toEqual(['node', 'dist/demo/sample-company.js']);
  expect(command).toEqual([`http://balancer:${exposed}`, 'agents']);

  const folder = await temporaryFolder();
  const [manifests, none] = [join(folder, 'manifests'), join(folder, 'none')];
  await Promise.all([mkdir(manifests), mkdir(none)]);
  await copyManifests(manifests);
  const { url } = await serviceProcess(['--port', '0', '--data', join(folder, 'data'), '--manifests', none]);
  const args = [builtEntry('demo/sample-company.js'), url, '127.0.0.1', manifests];
  const company = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void company.kill('SIGKILL'));
  const exited = once(company, 'exit');
  const instances = async () => {
    const { agents } = (await (await fetch(`${url}/api/v1/agents`)).json()) as {
      agents: { instances: { state: string }[] }[];
    };
    return agents.flatMap((agent) => agent.instances);
  };
  await until(
    async () => (await instances()).filter(({ state }) => state === 'up').length === SAMPLE_PROGRAMS.size,
    // Their manifests are embedded first, and the machine may be busy.
    120_000,
  );
  const { state, decision } = await new ReachClient({ endpoint: url }).dispatch('where is my order 20231188');
  expect([state, decision?.targetAgent]).toEqual(['completed', 'orders-agent']);
  company.kill('SIGTERM');
  expect(await exited).toEqual([0, null]);
  expect(await instances()).toEqual([]);
});
