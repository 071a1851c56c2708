import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

type LookupCallback = Parameters<LookupFunction>[2];

/**
 * A lookup that asks for a name once, however many wait for it. A question to the system cannot be taken back, so
 * where names are not answered, those who gave up and asked again would pile up questions without bound.
 * All callers must ask with the same options, but for `all`: every one of them gets all addresses.
 */
export function sharedLookup(lookup: LookupFunction): LookupFunction {
  const waiting = new Map<string, LookupCallback[]>();
  return (hostname, options, callback) => {
    const others = waiting.get(hostname);
    if (others !== undefined) {
      others.push(callback);
      return;
    }
    const callbacks = [callback];
    waiting.set(hostname, callbacks);
    lookup(hostname, { ...options, all: true }, (error, found: string | LookupAddress[], family) => {
      waiting.delete(hostname);
      for (const answer of callbacks) answer(error, found, family);
    });
  };
}
