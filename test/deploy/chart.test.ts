import { execFile, spawnSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { ROUTES } from '../../src/http/routes.js';
import { SETTINGS } from '../../src/settings.js';
import { readDockerfile, restsOf, type Stage } from '../support/dockerfile.js';

const CHART = fileURLToPath(new URL('../../deploy/helm/agent-reach/', import.meta.url));
const read = (path: string) => readFile(join(CHART, path), 'utf8');

const values = parse(await read('values.yaml'));
const checkValues = new Ajv({ strict: false }).compile(JSON.parse(await read('values.schema.json')));
const names = (await readdir(join(CHART, 'templates'))).sort();
const templates = Object.fromEntries(
  await Promise.all(names.map(async (name) => [name, await read(`templates/${name}`)])),
);
const all = Object.values(templates).join('\n');

test('its values fit their schema, which refuses what is unknown or wrong', () => {
  expect(checkValues(values)).toBe(true);
  for (const wrong of [
    { replicaCount: 3 },
    { store: { url: 'http://redis:6379' } },
    { settings: { LOG_LEVEL: 'info' } },
    { manifests: { 'parking.txt': '' } },
    { terminationGracePeriodSeconds: 1 },
  ]) {
    expect(checkValues({ ...values, ...wrong }), JSON.stringify(wrong)).toBe(false);
  }
});

test('every value that a template reads is there, and every value is read', () => {
  const readPaths = new Set([...all.matchAll(/\.Values\.([A-Za-z.]+)/g)].map(([, path = '']) => path));
  for (const path of readPaths) {
    const found = path.split('.').reduce((value, part) => value?.[part], values);
    expect(found, path).toBeDefined();
  }
  for (const [name, value] of Object.entries(values)) {
    const isGroup = typeof value === 'object' && !Array.isArray(value);
    const paths = isGroup ? Object.keys(value as object).map((part) => `${name}.${part}`) : [name];
    for (const path of paths) {
      expect(readPaths.has(path) || readPaths.has(name), path).toBe(true);
    }
  }
});

test('every block of a template ends', () => {
  for (const [name, text] of Object.entries<string>(templates)) {
    const begun = text.match(/\{\{-? *(if|with|range|define) /g) ?? [];
    const ended = text.match(/\{\{-? *end *-?\}\}/g) ?? [];
    expect(ended.length, name).toBe(begun.length);
  }
});

test('probes ask what is served, at the port where the image listens, and settings are known', async () => {
  const paths = [...all.matchAll(/httpGet: \{ path: (\S+), port: http \}/g)].map(([, path]) => path);
  expect(paths).toEqual(['/readyz', '/readyz', '/healthz']);
  for (const path of paths) expect(ROUTES.map(({ url }) => url)).toContain(path);
  const stages = await readDockerfile(join(CHART, '../../Dockerfile'));
  expect(all).toContain(`containerPort: ${restsOf(stages.at(-1) as Stage, 'EXPOSE')[0]}`);
  const known = Object.values(SETTINGS).map(({ variable }): string => variable);
  for (const [, name] of all.matchAll(/- name: (REACH_[A-Z_]+)/g)) expect(known).toContain(name);
});

// No registry of Debian or npm has helm: where it is not there, that is no reason to fail.
if (spawnSync('helm', ['version', '--short']).status !== 0) {
  console.warn(
    'No helm: the chart is not rendered. One way to get it: go install helm.sh/helm/v3/cmd/helm@v3.14.4',
  );
} else {
  const run = promisify(execFile);
  const render = async (...set: readonly string[]) => {
    const args = [
      'template',
      'reach',
      CHART,
      '--kube-version',
      '1.28',
      ...set.flatMap((pair) => ['--set', pair]),
    ];
    const { stdout } = await run('helm', args);
    const kinds = parseAllDocuments(stdout).map((document) => document.toJS());
    return Object.fromEntries(kinds.map((kind) => [kind.kind, kind]));
  };

  test('it renders; what is off by default comes when it is asked for', async () => {
    const plain = await render('store.url=redis://redis:6379');
    expect(Object.keys(plain).sort()).toEqual([
      'ConfigMap',
      'Deployment',
      'PodDisruptionBudget',
      'Secret',
      'Service',
    ]);
    expect(plain.Secret.stringData).toEqual({ REACH_STORE: 'redis://redis:6379' });
    const { spec } = plain.Deployment;
    expect(spec.replicas).toBe(3);
    const [container] = spec.template.spec.containers;
    expect(container.securityContext).toMatchObject({
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    });
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);

    const asked = ['store.existingSecret=mine', 'autoscaling.enabled=true', 'networkPolicy.enabled=true'];
    const full = await render(...asked, 'settings.REACH_LOG_LEVEL=info', 'manifests.a\\.yaml=agent_name: a');
    expect(Object.keys(full)).toEqual(expect.arrayContaining(['HorizontalPodAutoscaler', 'NetworkPolicy']));
    expect(full).not.toHaveProperty('Secret');
    expect(full.Deployment.spec).not.toHaveProperty('replicas');
    const [{ env }] = full.Deployment.spec.template.spec.containers;
    expect(env).toContainEqual({ name: 'REACH_LOG_LEVEL', value: 'info' });
    expect(full.ConfigMap.data).toEqual({ 'a.yaml': 'agent_name: a' });
  });

  test('without a Redis it is refused, and says what is missing', async () => {
    await expect(render()).rejects.toThrow(/Name the Redis in store.url/);
    await expect(render('store.url=http://redis')).rejects.toThrow(/store.url/);
  });
}
