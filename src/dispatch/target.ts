import { type FieldError, ReachError, sentenceOf } from '../errors.js';
import type { Capability } from '../manifest/schema.js';
import type { Agent, CatalogueSnapshot } from '../registry/catalogue.js';
import { capabilityKey, splitCapabilityKey } from '../wire/capability-key.js';
import type { DispatchRequest } from '../wire/dispatch.js';
import type { Decision } from '../wire/route.js';

/** Who may do the work, as it stands in the catalogue now. */
export interface Target {
  readonly agent: Agent;
  readonly capability: Capability;
}

type Payload = NonNullable<DispatchRequest['payload']>;

/** Undefined where it has left the catalogue since it was decided on. */
export function targetOf(
  agentName: string | null,
  capabilityId: string | null,
  catalogue: CatalogueSnapshot,
): Target | undefined {
  const agent = catalogue.agents.get(agentName ?? '');
  const capability = agent?.manifest.capabilities.find(({ id }) => id === capabilityId);
  return agent === undefined || capability === undefined ? undefined : { agent, capability };
}

/** Those of some keys who are in the catalogue and accept the payload. */
export function standInsThatAccept(
  payload: Payload,
  keys: readonly string[],
  catalogue: CatalogueSnapshot,
): Target[] {
  return keys.flatMap((key) => {
    const named = splitCapabilityKey(key);
    const target = named && targetOf(named.agentName, named.capabilityId, catalogue);
    return target !== undefined && faultsOf(target, payload).length === 0 ? [target] : [];
  });
}

function faultsOf({ agent, capability }: Target, payload: Payload): FieldError[] {
  const { errors } = agent.validators.check(capability.id, payload);
  return errors.map((error) => ({ ...error, pointer: `/payload${error.pointer}` }));
}

/**
 * The payload that the target is sent. A request without one is sent `{}`: an input schema that asks for no
 * field is one for objects all the same.
 * A fallback agent gets a payload that was meant for somebody else: what does not fit its schema stays away
 * (null), since its work is to answer the person's words.
 * @throws ReachError PAYLOAD_INVALID with every fault, pointers under `/payload`.
 */
export function payloadFor(target: Target, decision: Decision, payload: Payload): Payload | null {
  const errors = faultsOf(target, payload);
  if (errors.length === 0) return payload;
  if (decision.outcome === 'fallback') return null;
  const key = capabilityKey(target.agent.manifest.agentName, target.capability.id);
  throw new ReachError('PAYLOAD_INVALID', `The payload does not fit ${key}: ${sentenceOf(errors)}`, {
    errors,
  });
}
