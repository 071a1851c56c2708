import { ReachError } from '../errors.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { splitCapabilityKey } from '../wire/capability-key.js';

/** What somebody calls the right capability must be there. @throws ReachError CAPABILITY_UNKNOWN at `/right_capability` */
export function refuseUnlessCapability(key: string, { agents }: CatalogueSnapshot): void {
  const named = splitCapabilityKey(key);
  const agent = named && agents.get(named.agentName);
  if (agent?.manifest.capabilities.some(({ id }) => id === named?.capabilityId)) return;
  throw new ReachError('CAPABILITY_UNKNOWN', `There is no capability ${key}.`, {
    errors: [{ pointer: '/right_capability', expected: 'an agent_name/id of the catalogue', received: key }],
  });
}
