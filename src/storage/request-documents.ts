import type { StoredRequest } from '../requests/request-store.js';

/** What was asked, as JSON text, in which a NUL is an escape: SQLite would cut a bare one and all that follows it. */
export function askedOf(stored: StoredRequest): string {
  const { requestId, bodyHash, mode, lane, request, traceparent, acceptedAtMs } = stored;
  return JSON.stringify({ requestId, bodyHash, mode, lane, request, traceparent, acceptedAtMs });
}

/** How far it is, as JSON text. */
export function progressOf(stored: StoredRequest): string {
  const { deadlineAtMs, state, history, delivery, run, owner, answer, callbackDue, revision } = stored;
  return JSON.stringify({
    deadlineAtMs,
    state,
    history,
    delivery,
    run,
    owner,
    answer,
    callbackDue,
    revision,
  });
}

export function storedRequest(asked: string, progress: string): StoredRequest {
  // What is undefined has no place in JSON; it has one in a request.
  const optional = { traceparent: undefined, delivery: undefined, owner: undefined, answer: undefined };
  return { ...optional, ...JSON.parse(asked), ...JSON.parse(progress) };
}
