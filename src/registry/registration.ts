import { isDeepStrictEqual } from 'node:util';
import { quoted, ReachError } from '../errors.js';
import { spelt } from '../net/agent-address.js';
import type { Registration } from '../wire/instances.js';
import type { Instance, InstanceName } from './instance.js';

const DEFAULT_WEIGHT = 100;

/** What stands under an id now, and whether its lease holds. */
export interface Incumbent {
  readonly instance: Instance;
  readonly isHeld: boolean;
}

/** What a registration comes to; its address has no version yet. */
export type RegistrationPlan =
  | { readonly kind: 'unchanged' }
  | {
      readonly kind: 'joined' | 'edited' | 'restarted';
      readonly instance: Omit<Instance, 'addrVersion'>;
    };

function programOf(
  { agentName, instanceId }: InstanceName,
  given: Registration,
  weight: number,
): Omit<Instance, 'addrVersion'> {
  return {
    agentName,
    instanceId,
    address: spelt(given.address),
    healthAddress: given.healthAddress,
    weight: given.weight ?? weight,
    region: given.region,
    labels: given.labels ?? {},
    version: given.version,
    incarnation: given.incarnation,
    origin: 'registered',
    draining: given.draining ?? false,
  };
}

function edited(before: Instance, given: Registration): Omit<Instance, 'addrVersion'> {
  const { addrVersion: _, ...kept } = before;
  return {
    ...kept,
    healthAddress: given.healthAddress ?? kept.healthAddress,
    weight: given.weight ?? kept.weight,
    region: given.region ?? kept.region,
    labels: given.labels ?? kept.labels,
    version: given.version ?? kept.version,
    draining: given.draining ?? kept.draining,
  };
}

/**
 * An incarnation that is lower than the one that is registered speaks for a program that was replaced.
 * @throws ReachError INSTANCE_REPLACED
 */
export function refuseReplaced(
  { agentName, instanceId, incarnation: current }: Pick<Instance, keyof InstanceName | 'incarnation'>,
  incarnation: number | undefined,
): void {
  if (current === undefined || incarnation === undefined || incarnation >= current) return;
  const detail = `${quoted(instanceId)} of ${agentName} was replaced by incarnation ${current}; ${incarnation} is lower.`;
  throw new ReachError('INSTANCE_REPLACED', detail);
}

/**
 * What a registration means where `incumbent` stands under its id. From another address it is a move, for which the
 * lease must be over or the incarnation higher: one id never has two addresses. What is no move and no new program
 * is an edit, and keeps what it does not name. The weight, set from outside, outlives the program in any case.
 * @throws ReachError INSTANCE_TAKEN, INSTANCE_REPLACED
 */
export function planRegistration(
  name: InstanceName,
  given: Registration,
  incumbent: Incumbent | undefined,
): RegistrationPlan {
  if (incumbent === undefined) return { kind: 'joined', instance: programOf(name, given, DEFAULT_WEIGHT) };
  const { instance: before, isHeld } = incumbent;
  // Once nobody holds the place, a program whose clock was set back gets it too.
  if (isHeld) refuseReplaced(before, given.incarnation);
  const isNewProgram = given.incarnation !== undefined && given.incarnation !== before.incarnation;
  const moves = spelt(given.address) !== before.address;
  if (moves && isHeld && !(isNewProgram && before.incarnation !== undefined)) throw taken(before);
  if (moves || isNewProgram) return { kind: 'restarted', instance: programOf(name, given, before.weight) };
  const instance = edited(before, given);
  const { addrVersion: _, ...unedited } = before;
  return isDeepStrictEqual(instance, unedited) ? { kind: 'unchanged' } : { kind: 'edited', instance };
}

function taken({ agentName, instanceId, address }: Instance): ReachError {
  const detail = `${quoted(instanceId)} of ${agentName} is registered at ${address}, and its lease holds; take another id, a higher incarnation, or wait until the lease is over.`;
  return new ReachError('INSTANCE_TAKEN', detail);
}
