import { canonicalDigest } from '../manifest/canonical-json.js';
import type { Capability, Manifest } from '../manifest/schema.js';
import { slices } from '../manifest/slices.js';
import { capabilityKey } from '../wire/capability-key.js';

/** Of all by which a capability is found and judged. What only tells equals apart is not in it. */
function digestOf(capability: Capability): string {
  const { id, name, description, examples, tags, inputSchema, equivalentTo, threshold = null } = capability;
  const judged = { id, name, description, examples, tags, inputSchema, equivalentTo, threshold };
  return canonicalDigest(judged);
}

/** The digest of each capability, by `agent_name/id`: what was tuned for one is good as long as it stays the same. */
export async function capabilityDigests(manifests: Iterable<Manifest>): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  const pause = slices();
  for (const { agentName, capabilities } of manifests) {
    for (const capability of capabilities) {
      digests.set(capabilityKey(agentName, capability.id), digestOf(capability));
      await pause();
    }
  }
  return digests;
}
