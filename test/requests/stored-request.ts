import type { StoredRequest } from '../../src/requests/request-store.js';

const ACCEPTED_MS = Date.now();

/** A request as it is kept, by default one that waits to be carried out. */
export function storedRequest(more: Partial<StoredRequest> = {}): StoredRequest {
  return {
    requestId: 'r-1',
    bodyHash: 'h',
    mode: 'async',
    lane: 'P1',
    request: { intent: '周报 nul \u0000 after', payload: { a: [1, null] }, requestId: 'r-1' },
    traceparent: undefined,
    acceptedAtMs: ACCEPTED_MS,
    deadlineAtMs: ACCEPTED_MS + 300_000,
    state: 'queued',
    history: [{ state: 'queued', atMs: ACCEPTED_MS, node: 'host/1', eventId: 1 }],
    delivery: undefined,
    run: 1,
    owner: undefined,
    answer: undefined,
    callbackDue: false,
    revision: 1,
    ...more,
  };
}
