import { randomBytes } from 'node:crypto';
import { isFinal, type RequestState } from '../../requests/request-state.js';
import type {
  RequestStore,
  RequestSummary,
  StoredRequest,
  UnfinishedRequest,
} from '../../requests/request-store.js';
import { askedOf, progressOf, storedRequest } from '../request-documents.js';

/** Ended requests of a team that are kept, the newest: so many, and so much text. */
const MOST_ENDED = 10_000;
const MOST_ENDED_CHARS = 67_108_864;

interface Kept extends RequestSummary {
  readonly asked: string;
  readonly progress: string;
  readonly owner: string | undefined;
  readonly callbackDue: boolean;
  readonly revision: number;
}

interface Requests {
  readonly secret: string;
  /** In the order in which they came. */
  readonly byId: Map<string, Kept>;
  /** In the order in which they ended. */
  readonly ended: Set<string>;
  endedChars: number;
}

const sizeOf = ({ asked, progress }: Kept) => asked.length + progress.length;

/** Requests for as long as the process lives. */
export class MemoryRequestStore implements RequestStore {
  readonly #teams = new Map<string, Requests>();

  async secret(team: string): Promise<string> {
    return this.#requests(team).secret;
  }

  async create(team: string, request: StoredRequest): Promise<StoredRequest | undefined> {
    const requests = this.#requests(team);
    const existing = requests.byId.get(request.requestId);
    if (existing !== undefined) return storedRequest(existing.asked, existing.progress);
    this.#put(requests, request, askedOf(request));
    return undefined;
  }

  async save(team: string, request: StoredRequest): Promise<boolean> {
    const requests = this.#requests(team);
    const kept = requests.byId.get(request.requestId);
    if (kept?.revision !== request.revision - 1) return false;
    this.#put(requests, request, kept.asked);
    return true;
  }

  async remove(team: string, requestId: string): Promise<void> {
    this.#remove(this.#requests(team), requestId);
  }

  async find(team: string, requestId: string): Promise<StoredRequest | undefined> {
    const kept = this.#requests(team).byId.get(requestId);
    return kept && storedRequest(kept.asked, kept.progress);
  }

  async list(
    team: string,
    { state, limit }: { readonly state?: RequestState; readonly limit: number },
  ): Promise<RequestSummary[]> {
    return this.#all(team)
      .filter((kept) => (state ?? kept.state) === kept.state)
      .reverse()
      .sort((a, b) => b.acceptedAtMs - a.acceptedAtMs)
      .slice(0, limit)
      .map(({ requestId, state, lane, mode, acceptedAtMs, deadlineAtMs }) => ({
        requestId,
        state,
        lane,
        mode,
        acceptedAtMs,
        deadlineAtMs,
      }));
  }

  async unfinished(team: string): Promise<UnfinishedRequest[]> {
    return this.#all(team)
      .filter(({ state, callbackDue }) => !isFinal(state) || callbackDue)
      .map(({ requestId, lane, owner }) => ({ requestId, lane, owner }));
  }

  async overdue(team: string, beforeMs: number): Promise<string[]> {
    const overdue: string[] = [];
    for (const { requestId, state, deadlineAtMs } of this.#requests(team).byId.values()) {
      if (deadlineAtMs < beforeMs && !isFinal(state)) overdue.push(requestId);
    }
    return overdue;
  }

  async prune(team: string, acceptedBeforeMs: number): Promise<boolean> {
    const requests = this.#requests(team);
    for (const { requestId, acceptedAtMs, state } of requests.byId.values()) {
      // They came in this order, but for clocks that jump.
      if (acceptedAtMs >= acceptedBeforeMs) break;
      if (isFinal(state)) this.#remove(requests, requestId);
    }
    return false;
  }

  #all(team: string): Kept[] {
    return [...this.#requests(team).byId.values()];
  }

  #put(requests: Requests, request: StoredRequest, asked: string): void {
    const { requestId, state, lane, mode, acceptedAtMs, deadlineAtMs, owner, callbackDue, revision } =
      request;
    const before = requests.byId.get(requestId);
    if (before !== undefined && requests.ended.has(requestId)) requests.endedChars -= sizeOf(before);
    const summary = { requestId, state, lane, mode, acceptedAtMs, deadlineAtMs };
    const kept = { ...summary, asked, progress: progressOf(request), owner, callbackDue, revision };
    requests.byId.set(requestId, kept);
    if (!isFinal(state)) return;
    requests.ended.add(requestId);
    requests.endedChars += sizeOf(kept);
    for (const oldest of requests.ended) {
      if (requests.ended.size <= MOST_ENDED && requests.endedChars <= MOST_ENDED_CHARS) break;
      this.#remove(requests, oldest);
    }
  }

  #remove(requests: Requests, requestId: string): void {
    const kept = requests.byId.get(requestId);
    if (kept !== undefined && requests.ended.delete(requestId)) requests.endedChars -= sizeOf(kept);
    requests.byId.delete(requestId);
  }

  #requests(team: string): Requests {
    let requests = this.#teams.get(team);
    if (requests === undefined) {
      const secret = randomBytes(32).toString('hex');
      requests = { secret, byId: new Map(), ended: new Set(), endedChars: 0 };
      this.#teams.set(team, requests);
    }
    return requests;
  }
}
