import { ReachError } from '../errors.js';
import { isWithAgent } from './request-state.js';
import type { KeptDelivery, StoredRequest } from './request-store.js';

/** What is to be done with a request that is handed over: it may have been under way in a process that is gone. */
export type Recovery =
  | { readonly kind: 'carry_out' }
  /** Its agent will answer: there is nothing to do until then. */
  | { readonly kind: 'await_reply' }
  | { readonly kind: 'lost'; readonly error: ReachError };

export function recoveryOf({ state, delivery }: Pick<StoredRequest, 'state' | 'delivery'>): Recovery {
  if (!isWithAgent(state) || delivery === undefined) return { kind: 'carry_out' };
  if (delivery.awaitsReply) return { kind: 'await_reply' };
  return delivery.idempotent ? { kind: 'carry_out' } : { kind: 'lost', error: lost(delivery) };
}

function lost({ agentName, instanceId, capabilityId }: KeptDelivery): ReachError {
  const work = `${agentName}/${capabilityId} had been given it on the instance ${instanceId}`;
  const why = 'as it may have been done and is not idempotent, it is not repeated';
  return new ReachError('NODE_LOST', `The process that carried it out has ended when ${work}; ${why}.`);
}
