import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fleet } from './fleet.js';
import { sendJson } from './send-json.js';
import { type ServiceProcess, startService } from './service-process.js';
import { templatedManifests } from './templated-manifests.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** Manifests of the agents `fleet-0` and on, each with one capability that takes every payload. */
function fleetManifests(agents: number) {
  return templatedManifests(agents, 1).map(({ manifest_version, capabilities }, index) => ({
    agent_name: `fleet-${index}`,
    manifest_version,
    capabilities: capabilities.map(({ input_schema: _, ...capability }) => capability),
  }));
}

/** A started service that knows these agents, and a fleet for it without members. */
export async function withFleetService<Result>(
  agents: number,
  work: (service: ServiceProcess, fleet: Fleet) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(async (data) => {
    const manifests = join(data, 'manifests');
    mkdirSync(manifests);
    const service = await startService('serve', { REACH_DATA: data, REACH_MANIFESTS: manifests });
    const fleet = new Fleet(service.url);
    try {
      for (const manifest of fleetManifests(agents)) {
        await sendJson('PUT', `${service.url}/api/v1/agents/${manifest.agent_name}/manifest`, manifest);
      }
      return await work(service, fleet);
    } finally {
      await fleet.close();
      await service.stop();
    }
  });
}
