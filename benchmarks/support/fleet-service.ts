import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Fleet } from './fleet.js';
import { sendJson } from './send-json.js';
import { type ServiceProcess, startService } from './service-process.js';
import { templatedManifests } from './templated-manifests.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** A started service that knows the agents `fleet-0` and on, each with one capability, and a fleet for it without members. */
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
      for (const [index, manifest] of templatedManifests(agents, 1).entries()) {
        const agent_name = `fleet-${index}`;
        await sendJson('PUT', `${service.url}/api/v1/agents/${agent_name}/manifest`, {
          ...manifest,
          agent_name,
        });
      }
      return await work(service, fleet);
    } finally {
      await fleet.close();
      await service.stop();
    }
  });
}
