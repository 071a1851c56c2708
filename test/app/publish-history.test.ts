import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createReach, type ReachOptions } from '../../src/app.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { WorkGate } from '../../src/http/work-gate.js';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'reach-history-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

async function opened(options: ReachOptions) {
  const reach = await createReach({ logLevel: 'silent', ...options });
  const app = await createHttpApp(reach, new WorkGate(), pino({ level: 'silent' }));
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= app.close().then(() => reach.close());
    return closing;
  };
  onTestFinished(close);
  return { reach, app, close };
}

const garage = (version: number, fields: Record<string, string>) => ({
  agent_name: 'garage',
  manifest_version: version,
  capabilities: [
    {
      id: 'reserve-space',
      name: 'Reserve a parking space',
      description: 'Reserves a parking space in the garage for a day.',
      input_schema: {
        type: 'object',
        properties: Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, { type }])),
      },
    },
  ],
});
const put = (manifest: object) => ({
  method: 'PUT' as const,
  url: '/api/v1/agents/garage/manifest',
  payload: manifest,
});
const republish = (version: number) => ({
  method: 'POST' as const,
  url: `/api/v1/agents/garage/manifests/${version}/publish`,
});

test('a publish says what it breaks, its history outlives the service, and an older version is back when asked for', async () => {
  const data = await temporaryFolder();
  const first = await opened({ data });
  await first.app.inject(put(garage(1, { day: 'string', plate: 'string' })));
  const breaking = (await first.app.inject(put(garage(2, { day: 'integer' })))).json();
  expect(breaking).toEqual({
    agent_name: 'garage',
    manifest_version: 2,
    catalogue_version: 2,
    breaking: [
      {
        capability_id: 'reserve-space',
        kind: 'removed',
        pointer: '/input_schema/properties/plate',
        sentence: 'The input field "plate" is gone.',
      },
      {
        capability_id: 'reserve-space',
        kind: 'retyped',
        pointer: '/input_schema/properties/day',
        sentence: 'The input field "day" was string and is integer.',
      },
    ],
    overlaps: [],
  });
  await first.close();

  const { app, reach } = await opened({ data, strictCompat: true });
  const history = (await app.inject('/api/v1/agents/garage/manifests')).json();
  expect(history).toMatchObject({
    agent_name: 'garage',
    manifests: [
      { manifest_version: 2, source: 'api', catalogue_version: 2, current: true },
      { manifest_version: 1, source: 'api', catalogue_version: 1, current: false },
    ],
  });
  expect(Math.abs(Date.parse(history.manifests[0].published_at) - Date.now())).toBeLessThan(3_600_000);
  expect((await app.inject('/api/v1/agents/garage/manifests/1')).json().manifest).toEqual(
    garage(1, { day: 'string', plate: 'string' }),
  );

  const refused = await app.inject(republish(1));
  expect([refused.statusCode, refused.json()]).toMatchObject([
    409,
    { code: 'MANIFEST_BREAKING', errors: [{ pointer: '/capabilities/0/input_schema/properties/day' }] },
  ]);
  expect((await app.inject('/api/v1/agents/garage/manifests')).json()).toEqual(history);
  // Who means it takes the agent away first.
  await app.inject({ method: 'DELETE', url: '/api/v1/agents/garage' });
  expect((await app.inject(republish(1))).json()).toEqual({
    agent_name: 'garage',
    manifest_version: 3,
    catalogue_version: 4,
    breaking: [],
    overlaps: [],
  });
  const decision = await reach.route('could I get a parking space', null, { threshold: 0 });
  expect(decision).toMatchObject({ targetAgent: 'garage', catalogueVersion: 4 });
  expect((await app.inject('/api/v1/agents/garage/manifests/9')).json().code).toBe(
    'MANIFEST_VERSION_UNKNOWN',
  );
  expect((await app.inject('/api/v1/agents/garge/manifests')).json()).toMatchObject({
    code: 'AGENT_UNKNOWN',
    detail: expect.stringContaining('garage'),
  });

  for (const call of [
    () => reach.history('garage', 0),
    () => reach.history('garage', 101),
    () => reach.history('garage', '5' as never),
    () => reach.manifest('garage', 1.5),
    () => reach.manifest('garage', {} as never),
    () => reach.republish('garage', Number.NaN),
    () => reach.republish('garage', 2 ** 53),
  ]) {
    await expect(call()).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  }
});

test("agents of a folder are the API's to change where that folder is not watched any more", async () => {
  const [data, manifests] = [await temporaryFolder(), await temporaryFolder()];
  await writeFile(join(manifests, 'garage.json'), JSON.stringify(garage(1, { day: 'string' })));
  const watching = await opened({ data, manifests });
  for (const call of [
    put(garage(2, {})),
    republish(1),
    { method: 'DELETE' as const, url: '/api/v1/agents/garage' },
  ]) {
    expect((await watching.app.inject(call)).json().code).toBe('MANIFEST_MANAGED_BY_FOLDER');
  }
  await watching.close();
  const { app } = await opened({ data });
  expect((await app.inject(put(garage(2, { day: 'string' })))).statusCode).toBe(200);
  expect((await app.inject('/api/v1/agents/garage')).json()).toMatchObject({
    source: 'api',
    manifest_version: 2,
  });
  expect((await app.inject({ method: 'DELETE', url: '/api/v1/agents/garage' })).statusCode).toBe(200);
});
