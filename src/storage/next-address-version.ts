import { quoted, ReachError } from '../errors.js';
import type { InstanceName } from '../registry/instance.js';
import type { StoredInstance } from '../registry/instance-store.js';

/**
 * The condition under which every adapter saves an instance, and the version that its address has then: a new
 * one for a new address.
 * @throws ReachError INSTANCE_TAKEN
 */
export function nextAddressVersion(
  instance: Omit<StoredInstance, 'addrVersion'>,
  stored: Pick<StoredInstance, 'address' | 'addrVersion'> | undefined,
  expected: number | null,
  next: () => number,
): number {
  if ((stored?.addrVersion ?? null) !== expected) throw instanceChangedMeanwhile(instance);
  return stored?.address === instance.address ? stored.addrVersion : next();
}

export function instanceChangedMeanwhile({ agentName, instanceId }: InstanceName): ReachError {
  return new ReachError('INSTANCE_TAKEN', `${quoted(instanceId)} of ${agentName} was changed meanwhile.`);
}
