import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { RouteRequest } from '../wire/route.js';

/**
 * Tells of a capability which required fields a payload lacks, as pointers. Asked several times a decision, so each
 * answer is worked out once.
 */
export function missingOf(payload: RouteRequest['payload']) {
  if (payload === undefined || payload === null)
    return ({ requiredPointers }: IndexedCapability) => requiredPointers;
  const known = new Map<string, readonly string[]>();
  return ({ key, agent, capability }: IndexedCapability): readonly string[] => {
    const missing = known.get(key) ?? agent.validators.check(capability.id, payload).missing;
    known.set(key, missing);
    return missing;
  };
}
