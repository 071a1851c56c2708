import { ReachError } from '../errors.js';
import {
  type CheckedManifests,
  type FileFault,
  fileFaultsOf,
  type ManifestFile,
} from '../manifest/check-manifests.js';
import { parseManifestForm } from '../manifest/parse-manifest.js';
import type { RemoteReach } from './remote-reach.js';

/** The manifests that a server serves, each as a file that is called by `name` and its agent. @throws ReachError SERVER_UNREACHABLE */
export async function servedManifests(
  server: Pick<RemoteReach, 'agents' | 'agent'>,
  name: string,
): Promise<CheckedManifests> {
  const manifests: ManifestFile[] = [];
  const faults: FileFault[] = [];
  for (const { agentName } of (await server.agents()).agents) {
    const file = { file: `${name} ${agentName}`, lineOf: () => 1 };
    try {
      const { manifest } = await server.agent(agentName);
      manifests.push({ ...file, ...(await parseManifestForm(manifest)) });
    } catch (thrown) {
      if (!(thrown instanceof ReachError) || thrown.code === 'SERVER_UNREACHABLE') throw thrown;
      // Removed since it was listed, or written for a newer server than this.
      const whole = [{ ...file, line: 1, pointer: '', message: thrown.message }];
      faults.push(...(thrown.errors.length > 0 ? fileFaultsOf(thrown, file) : whole));
    }
  }
  return { manifests, faults };
}
