import { quoted, ReachError } from '../errors.js';
import type { StoredInstance } from '../registry/instance-store.js';

/**
 * The condition under which every adapter saves an instance, and the version that its address has then: a new
 * one for a new address.
 * @throws ReachError INSTANCE_TAKEN
 */
export function nextAddressVersion(
  { agentName, instanceId, address }: Omit<StoredInstance, 'addrVersion'>,
  stored: Pick<StoredInstance, 'address' | 'addrVersion'> | undefined,
  expected: number | null,
  next: () => number,
): number {
  if ((stored?.addrVersion ?? null) !== expected) {
    throw new ReachError('INSTANCE_TAKEN', `${quoted(instanceId)} of ${agentName} was changed meanwhile.`);
  }
  return stored?.address === address ? stored.addrVersion : next();
}
