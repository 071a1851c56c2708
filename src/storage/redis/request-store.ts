import { randomBytes } from 'node:crypto';
import { isFinal, type RequestState } from '../../requests/request-state.js';
import type {
  RequestStore,
  RequestSummary,
  StoredRequest,
  UnfinishedRequest,
} from '../../requests/request-store.js';
import { FINAL_STATES, LANES } from '../../wire/dispatch.js';
import { OPEN_STATES } from '../../wire/requests.js';
import { askedOf, progressOf, storedRequest } from '../request-documents.js';
import type { RedisLink } from './redis-link.js';
import { CREATE_REQUEST, PLACES_A_MS, PRUNE_REQUESTS, REMOVE_REQUEST, SAVE_REQUEST } from './request-lua.js';

/** Rows that are read, or let go of, in one step. */
const SLICE = 250;
const STATES: readonly RequestState[] = [...OPEN_STATES, ...FINAL_STATES];
/** In scripts states go by their place, from 1. */
const placeOf = (state: RequestState) => STATES.indexOf(state) + 1;

type Fields = readonly (string | null)[];

/**
 * Requests in a Redis: a hash each, an order of each state, and those that have not ended by number and by deadline.
 */
export class RedisRequestStore implements RequestStore {
  readonly #link: RedisLink;
  readonly #secrets = new Map<string, string>();

  constructor(link: RedisLink) {
    this.#link = link;
    // One that came back empty has no secret any more, and agents have tokens of it.
    link.onReturn(() => {
      for (const [team, secret] of this.#secrets) void this.#shareSecret(team, secret).catch(() => {});
    });
  }

  async secret(team: string): Promise<string> {
    const secret = await this.#shareSecret(team, randomBytes(32).toString('hex'));
    this.#secrets.set(team, secret);
    return secret;
  }

  async create(team: string, request: StoredRequest): Promise<StoredRequest | undefined> {
    const { lane, mode } = request;
    const row = ['lane', lane, 'mode', mode, 'accepted', request.acceptedAtMs];
    const args = [...argsOf(request), ...row, 'asked', askedOf(request)];
    const found = await this.#link.run(CREATE_REQUEST, this.#keysOf(team, request.requestId), args);
    return found === 0 ? undefined : readRow(found as Fields);
  }

  async save(team: string, request: StoredRequest): Promise<boolean> {
    const args = [request.revision - 1, ...argsOf(request)];
    return (await this.#link.run(SAVE_REQUEST, this.#keysOf(team, request.requestId), args)) === 1;
  }

  async remove(team: string, requestId: string): Promise<void> {
    const keys = [
      this.#row(team, requestId),
      this.#key(team, 'due'),
      this.#key(team, 'deadlines'),
      ...this.#orders(team),
    ];
    await this.#link.run(REMOVE_REQUEST, keys, [requestId]);
  }

  async find(team: string, requestId: string): Promise<StoredRequest | undefined> {
    const key = this.#row(team, requestId);
    return readRow(await this.#link.ask((client) => client.hmget(key, 'asked', 'progress'), [key]));
  }

  async list(
    team: string,
    { state, limit }: { readonly state?: RequestState; readonly limit: number },
  ): Promise<RequestSummary[]> {
    const newest = new Map<string, number>();
    for (const each of state === undefined ? STATES : [state]) {
      const key = this.#key(team, each);
      const found = await this.#link.ask(
        (client) => client.zrevrange(key, 0, limit - 1, 'WITHSCORES'),
        [key],
      );
      for (let at = 0; at < found.length; at += 2) newest.set(found[at] ?? '', Number(found[at + 1]));
    }
    const ids = [...newest]
      .sort((a, b) => b[1] - a[1])
      .slice(0, limit)
      .map(([id]) => id);
    const rows = await this.#rows(team, ids, ['place', 'lane', 'mode', 'accepted', 'deadline']);
    return rows.map(([requestId, [place, lane, mode, accepted, deadline]]) => ({
      requestId,
      state: STATES[Number(place) - 1] ?? 'queued',
      lane: laneOf(lane),
      mode: mode === 'sync' ? 'sync' : 'async',
      acceptedAtMs: Number(accepted),
      deadlineAtMs: Number(deadline),
    }));
  }

  async unfinished(team: string): Promise<UnfinishedRequest[]> {
    const key = this.#key(team, 'due');
    const unfinished: UnfinishedRequest[] = [];
    let after = 0;
    for (;;) {
      const page = await this.#link.ask(
        (client) => client.zrangebyscore(key, `(${after}`, '+inf', 'WITHSCORES', 'LIMIT', 0, SLICE),
        [key],
      );
      if (page.length === 0) return unfinished;
      after = Number(page.at(-1));
      const ids = page.filter((_, place) => place % 2 === 0);
      for (const [requestId, [lane, owner]] of await this.#rows(team, ids, ['lane', 'owner']))
        unfinished.push({
          requestId,
          lane: laneOf(lane),
          owner: owner === '' ? undefined : (owner ?? undefined),
        });
    }
  }

  async overdue(team: string, beforeMs: number): Promise<string[]> {
    const key = this.#key(team, 'deadlines');
    return this.#link.ask(
      (client) => client.zrangebyscore(key, '-inf', `(${beforeMs}`, 'LIMIT', 0, SLICE),
      [key],
    );
  }

  async prune(team: string, acceptedBeforeMs: number): Promise<boolean> {
    let more = false;
    for (const state of FINAL_STATES) {
      const order = this.#key(team, state);
      const ids = await this.#link.ask(
        (client) =>
          client.zrangebyscore(order, '-inf', `(${acceptedBeforeMs * PLACES_A_MS}`, 'LIMIT', 0, SLICE),
        [order],
      );
      if (ids.length === 0) continue;
      const keys = [order, this.#key(team, 'due'), ...ids.map((id) => this.#row(team, id))];
      await this.#link.run(PRUNE_REQUESTS, keys, [placeOf(state), acceptedBeforeMs, ...ids]);
      more ||= ids.length === SLICE;
    }
    return more;
  }

  async #shareSecret(team: string, secret: string): Promise<string> {
    const key = this.#key(team, 'secret');
    return this.#link.ask(
      async (client) => {
        await client.set(key, secret, 'NX');
        return (await client.get(key)) ?? secret;
      },
      [key],
    );
  }

  /** Those that are there. */
  async #rows(team: string, ids: readonly string[], fields: readonly string[]): Promise<[string, Fields][]> {
    const rows: [string, Fields][] = [];
    for (let from = 0; from < ids.length; from += SLICE) {
      const slice = ids.slice(from, from + SLICE);
      const keys = slice.map((id) => this.#row(team, id));
      const found = await this.#link.ask(async (client) => {
        const pipeline = client.pipeline();
        for (const key of keys) pipeline.hmget(key, ...fields);
        return pipeline.exec();
      }, keys);
      for (const [at, id] of slice.entries()) {
        const [failure, row] = found?.[at] ?? [null, []];
        if (failure !== null) throw failure;
        if ((row as Fields)[0] !== null) rows.push([id, row as Fields]);
      }
    }
    return rows;
  }

  #key(team: string, part: string): string {
    return this.#link.key(team, 'requests', part);
  }

  #row(team: string, requestId: string): string {
    return this.#link.key(team, 'request', requestId);
  }

  #orders(team: string): string[] {
    return STATES.map((state) => this.#key(team, state));
  }

  #keysOf(team: string, requestId: string): string[] {
    const shared = ['numbers', 'due', 'deadlines'].map((part) => this.#key(team, part));
    return [this.#row(team, requestId), ...shared, ...this.#orders(team)];
  }
}

function argsOf(request: StoredRequest): (string | number)[] {
  const { requestId, state, acceptedAtMs, deadlineAtMs, callbackDue, owner = '', revision } = request;
  const hasEnded = isFinal(state);
  return [
    ...[requestId, placeOf(state), acceptedAtMs, deadlineAtMs],
    ...[Number(hasEnded), Number(!hasEnded || callbackDue)],
    ...['deadline', deadlineAtMs, 'owner', owner, 'revision', revision, 'progress', progressOf(request)],
  ];
}

function readRow([asked, progress]: Fields): StoredRequest | undefined {
  return typeof asked === 'string' && typeof progress === 'string'
    ? storedRequest(asked, progress)
    : undefined;
}

function laneOf(text: string | null | undefined): StoredRequest['lane'] {
  return LANES.find((lane) => lane === text) ?? 'P1';
}
