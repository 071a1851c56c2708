import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ServedAgent, serveAgent } from 'agent-reach-sdk';
import { asReachError, ReachError } from '../errors.js';
import { checkManifests, type ManifestFile } from '../manifest/check-manifests.js';
import { SAMPLE_PROGRAMS } from './sample-programs.js';

// All sample agents in one process, for a container of their own: `node dist/demo/sample-company.js REACH_URL HOST
// [MANIFESTS]`. They listen on the ports that their manifests name, and register under HOST, by which the service reaches
// them.

const OWN_MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));
const DRAIN_MS = 10_000;

const [, , reach, host, folder = OWN_MANIFESTS] = process.argv;

try {
  const agents = await start(reach, host);
  process.stdout.write(`${agents.length} sample agents join ${reach}\n`);
  await Promise.all(agents.map(({ closed }) => closed));
} catch (thrown) {
  process.stderr.write(`${asReachError(thrown).message}\n`);
  process.exit(1);
}

/** @throws ReachError CONFIG_INVALID, MANIFEST_INVALID */
async function start(reachUrl: string | undefined, ownHost: string | undefined): Promise<ServedAgent[]> {
  if (reachUrl === undefined || ownHost === undefined) {
    throw new ReachError('CONFIG_INVALID', 'Expected the URL of the service, and the name of this host.');
  }
  const names = await readdir(folder);
  const { manifests, faults } = await checkManifests(names.map((name) => join(folder, name)));
  const [fault] = faults;
  if (fault !== undefined) throw new ReachError('MANIFEST_INVALID', `${fault.file}: ${fault.message}`);
  return Promise.all(manifests.map((file) => serve(file, reachUrl, ownHost)));
}

async function serve({ manifest, document }: ManifestFile, reachUrl: string, ownHost: string) {
  const { agentName, instances } = manifest;
  const load = SAMPLE_PROGRAMS.get(agentName);
  const address = instances[0]?.address;
  if (load === undefined || address === undefined) {
    throw new ReachError('MANIFEST_INVALID', `${agentName} is no sample agent with an address.`);
  }
  const { port } = new URL(address);
  const { instances: _, ...withoutPlaces } = document;
  return serveAgent({
    manifest: withoutPlaces,
    handlers: Object.fromEntries(await load()),
    reach: reachUrl,
    host: '0.0.0.0',
    port: Number(port),
    address: `http://${ownHost}:${port}`,
    drainMs: DRAIN_MS,
  });
}
