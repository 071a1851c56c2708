import type { LiveRequest } from './live-request.js';
import { isFinal } from './request-state.js';
import type { RequestStore, StoredRequest } from './request-store.js';

/** Tries, where the kept request is another one than it was taken for. */
const MOST_TRIES = 3;

/** Kept; or what is kept in its place, undefined where nothing is: another replica was faster. */
export type Keeping =
  | { readonly isKept: true }
  | { readonly isKept: false; readonly found: StoredRequest | undefined };

/**
 * Saves a request as it is now. A write that was not answered in time may have been made, and a store may have lost the
 * last ones, or all: what is carried out here counts, unless another replica has taken it over, or it has ended.
 * @throws ReachError STORE_UNAVAILABLE
 */
export async function keepRequest(store: RequestStore, team: string, live: LiveRequest): Promise<Keeping> {
  for (let attempt = 1; ; attempt += 1) {
    const next = live.snapshot();
    if (await store.save(team, next)) return kept(live, next);
    // What is not carried out here is not put back.
    const found = live.isOurs ? await store.create(team, next) : await store.find(team, live.requestId);
    if (live.isOurs && found === undefined) return kept(live, next);
    if (found === undefined || attempt === MOST_TRIES || !isOlderOurs(found, next))
      return { isKept: false, found };
    live.revision = found.revision;
  }
}

/** Whether what is kept was written by the one who saves now. */
function isOlderOurs(found: StoredRequest, next: StoredRequest): boolean {
  if (isFinal(found.state) || found.run !== next.run) return false;
  return found.owner === undefined ? found.revision < next.revision - 1 : found.owner === next.owner;
}

function kept(live: LiveRequest, { revision }: StoredRequest): Keeping {
  live.revision = revision;
  return { isKept: true };
}
