import { canonicalDigest } from '../manifest/canonical-json.js';
import type { DispatchRequest } from '../wire/dispatch.js';

/** What tells a request of an id from another of the same: all that it says but the id. */
export function bodyHashOf({ requestId: _, ...body }: DispatchRequest): string {
  return canonicalDigest(body);
}
