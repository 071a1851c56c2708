import { quoted, ReachError } from '../errors.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { didYouMean, orOf } from '../registry/nearest-names.js';
import { capabilityKey, splitCapabilityKey } from '../wire/capability-key.js';

/** What somebody calls the right capability must be there. @throws ReachError CAPABILITY_UNKNOWN at `/right_capability` */
export function refuseUnlessCapability(key: string, { agents }: CatalogueSnapshot): void {
  const named = splitCapabilityKey(key);
  const agent = named && agents.get(named.agentName);
  if (agent?.manifest.capabilities.some(({ id }) => id === named?.capabilityId)) return;
  const keys = [...agents.values()].flatMap(({ manifest: { agentName, capabilities } }) =>
    capabilities.map(({ id }) => capabilityKey(agentName, id)),
  );
  const sameId = keys.filter((other) => other.endsWith(`/${key}`));
  const hint = sameId.length > 0 ? orOf(sameId) : didYouMean(key, keys);
  throw new ReachError('CAPABILITY_UNKNOWN', `There is no capability ${quoted(key)}.${hint}`, {
    errors: [
      { pointer: '/right_capability', expected: 'an agent_name/id of the catalogue', received: quoted(key) },
    ],
  });
}
