import type { RequestStatus, StateEntry } from '../wire/requests.js';
import type { KeptState, RequestSummary, StoredRequest } from './request-store.js';

const timeOf = (atMs: number) => new Date(atMs).toISOString();

export function toldState({ state, node, attempt, atMs }: Omit<KeptState, 'eventId'>): StateEntry {
  return { state, node, ...(attempt !== undefined && { attempt }), at: timeOf(atMs) };
}

export function toldSummary({ acceptedAtMs, deadlineAtMs, ...summary }: RequestSummary) {
  return { ...summary, acceptedAt: timeOf(acceptedAtMs), deadlineAt: timeOf(deadlineAtMs) };
}

/** A request as its caller is told of it. */
export function toldStatus(request: StoredRequest, callback: RequestStatus['callback']): RequestStatus {
  const { requestId, state, lane, mode, acceptedAtMs, deadlineAtMs, history, answer } = request;
  return {
    ...toldSummary({ requestId, state, lane, mode, acceptedAtMs, deadlineAtMs }),
    history: history.map(toldState),
    answer: answer ?? null,
    callback,
  };
}
