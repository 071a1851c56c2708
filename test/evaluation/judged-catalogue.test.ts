import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { publishManifests, readManifests } from '../../src/evaluation/judged-catalogue.js';
import { formatFault } from '../../src/manifest/check-manifests.js';
import { parseManifest } from '../../src/manifest/parse-manifest.js';
import { standInReach } from '../support/stand-in-reach.js';
import { temporaryFolder } from '../support/temporary-folder.js';

async function written(files: Readonly<Record<string, unknown>>): Promise<string> {
  const folder = await temporaryFolder();
  for (const [name, document] of Object.entries(files)) {
    await writeFile(join(folder, name), typeof document === 'string' ? document : JSON.stringify(document));
  }
  return folder;
}

const manifest = (agent_name: string, more: object = {}) => ({
  agent_name,
  capabilities: [{ id: 'a', name: 'A', ...more }],
});

/** Checks a manifest as the registry does, and keeps it. */
function publishing() {
  const published: Record<string, unknown>[] = [];
  const reach = {
    ...standInReach(),
    async publish(document: unknown) {
      await parseManifest(document);
      published.push(document as Record<string, unknown>);
    },
  };
  return { published, reach };
}

it('reads files and folders, and publishes every agent as one that runs', async () => {
  const instances = [{ instance_id: 'x', address: 'http://127.0.0.1:9700' }];
  const folder = await written({
    'b.yaml': 'agent_name: b\ncapabilities: [{id: a, name: A}]\n',
    'c.json': { ...manifest('c'), manifest_version: 4, instances },
    '.hidden.json': '{',
    'notes.txt': '',
  });
  const single = join(await written({ 'a.json': manifest('a') }), 'a.json');
  const { manifests, faults } = await readManifests([single, folder]);
  expect(faults).toEqual([]);
  const { published, reach } = publishing();
  const seen: number[] = [];
  expect(await publishManifests(manifests, reach, (index) => seen.push(index))).toEqual({
    leftOut: [],
    faults: [],
  });
  expect(seen).toEqual([0, 1, 2]);
  expect(published.map((it) => [it.agent_name, it.manifest_version])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 4],
  ]);
  expect(published[0]?.instances).toHaveLength(1);
  expect(published[2]?.instances).toEqual(instances);
});

it('tells what cannot be read, is no manifest, or is empty', async () => {
  const folder = await written({ 'a.json': '{"agent_name": "a"}', 'b.json': '{' });
  await mkdir(join(folder, 'empty'));
  const { faults } = await readManifests([join(folder, 'gone.json'), folder, join(folder, 'empty')]);
  expect(faults.map(formatFault).map((text) => text.slice(folder.length + 1))).toEqual([
    'empty:1: it holds no manifest',
    expect.stringMatching(/^gone\.json:1: there is no such file/),
    expect.stringMatching(/^a\.json:1: \/capabilities: expected a value/),
    expect.stringMatching(/^b\.json:1: not JSON/),
  ]);
});

it('leaves out patterns that a publish refuses, and nothing else', async () => {
  const properties = {
    mail: { type: 'string', pattern: '^[\\w-\\.]+@x$' },
    list: { type: 'array', items: { type: 'string', pattern: '^(a|a)*$' } },
    pattern: { type: 'string', pattern: '^a$' },
  };
  const folder = await written({ 'a.json': manifest('a', { input_schema: { type: 'object', properties } }) });
  const { published, reach } = publishing();
  const { leftOut, faults } = await publishManifests((await readManifests([folder])).manifests, reach);
  expect(faults).toEqual([]);
  expect(leftOut.map(({ pointer }) => pointer).sort()).toEqual([
    '/capabilities/0/input_schema/properties/list/items/pattern',
    '/capabilities/0/input_schema/properties/mail/pattern',
  ]);
  expect(published).toMatchObject([
    {
      capabilities: [
        {
          input_schema: {
            properties: {
              ...properties,
              mail: { type: 'string' },
              list: { type: 'array', items: { type: 'string' } },
            },
          },
        },
      ],
    },
  ]);
});

it('refuses a catalogue whose schemas are wrong otherwise, also in a field that is called pattern', async () => {
  const schema = { type: 'object', properties: { pattern: 3 } };
  const folder = await written({ 'a.json': manifest('a', { input_schema: schema }) });
  const { published, reach } = publishing();
  const { manifests, faults } = await readManifests([folder]);
  expect(faults).toEqual([]);
  const refused = await publishManifests(manifests, reach);
  expect(refused.leftOut).toEqual([]);
  expect(refused.faults.map(formatFault)).toEqual([
    `${join(folder, 'a.json')}:1: /capabilities/0/input_schema/properties/pattern: expected an object or true or false, received the number 3`,
  ]);
  expect(published).toEqual([]);
});
