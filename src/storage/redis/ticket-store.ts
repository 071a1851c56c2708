import type { StoredTicket } from '../../handoff/ticket.js';
import type { TicketQuery, TicketStore } from '../../handoff/ticket-store.js';
import { markedJson, valueIn } from './marked-json.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Resolved tickets that are kept, the last ones: 30 MB for each 1,000 that are long. */
const RESOLVED_IN_REDIS = 10_000;
/** Rows that one script reads or lets go of. */
const SLICE = 100;

/**
 * Tickets behind their revision, by id; the id of each cause that is not resolved; ids by the end of their claim, and by
 * when they were resolved; and ids of each state by when their cause came last.
 */
const PARTS = ['rows', 'by-cause', 'by-claim-end', 'by-resolution', 'open', 'claimed', 'resolved'];

const WRITE = `
local function put_if(is, key, score, id)
  if is then redis.call('ZADD', key, score, id) else redis.call('ZREM', key, id) end
end
local function write(id, row, cause, state, last_at, until_or_at)
  redis.call('HSET', KEYS[1], id, row)
  if state ~= 'resolved' then
    redis.call('HSET', KEYS[2], cause, id)
  elseif redis.call('HGET', KEYS[2], cause) == id then
    redis.call('HDEL', KEYS[2], cause)
  end
  put_if(state == 'claimed', KEYS[3], until_or_at, id)
  put_if(state == 'resolved', KEYS[4], until_or_at, id)
  put_if(state == 'open', KEYS[5], last_at, id)
  put_if(state == 'claimed', KEYS[6], last_at, id)
  put_if(state == 'resolved', KEYS[7], last_at, id)
end
`;

const LET_GO = `
local function let_go(resolved)
  for _, id in ipairs(resolved) do
    redis.call('HDEL', KEYS[1], id)
    redis.call('ZREM', KEYS[4], id)
    redis.call('ZREM', KEYS[7], id)
  end
  return #resolved
end
`;

/** ARGV: as of write(), how many may be unresolved. */
const CREATE = redisScript(`${WRITE}
if redis.call('HEXISTS', KEYS[2], ARGV[3]) == 1 then return 'taken' end
if redis.call('HLEN', KEYS[2]) >= tonumber(ARGV[7]) then return 'full' end
write(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
return 'created'`);

/** ARGV: as of write(), the revision before, how many resolved ones are kept. */
const SAVE = redisScript(`${WRITE} ${LET_GO}
local kept = redis.call('HGET', KEYS[1], ARGV[1])
if not kept or string.match(kept, '^%d+') ~= ARGV[7] then return 0 end
write(ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6])
local too_many = redis.call('ZCARD', KEYS[4]) - tonumber(ARGV[8])
if too_many > 0 then let_go(redis.call('ZRANGE', KEYS[4], 0, math.min(too_many, ${SLICE}) - 1)) end
return 1`);

const OF_CAUSE = redisScript(`
local id = redis.call('HGET', KEYS[2], ARGV[1])
return id and redis.call('HGET', KEYS[1], id)`);

/** ARGV: the state or nothing, how many. */
const LIST = redisScript(`
local place = {open = 5, claimed = 6, resolved = 7}
local last_of, found = {}, {}
for state, key in pairs(place) do
  if ARGV[1] == '' or ARGV[1] == state then
    local order = redis.call('ZREVRANGE', KEYS[key], 0, tonumber(ARGV[2]) - 1, 'WITHSCORES')
    for i = 1, #order, 2 do
      found[#found + 1] = order[i]
      last_of[order[i]] = tonumber(order[i + 1])
    end
  end
end
table.sort(found, function(one, other) return last_of[one] > last_of[other] end)
local listed = {}
for i = 1, math.min(#found, tonumber(ARGV[2])) do
  listed[i] = redis.call('HGET', KEYS[1], found[i])
end
return listed`);

const CLAIMS_OVER = redisScript(`
local over = redis.call('ZRANGEBYSCORE', KEYS[3], '-inf', ARGV[1], 'LIMIT', 0, ${SLICE})
if #over == 0 then return over end
return redis.call('HMGET', KEYS[1], unpack(over))`);

const PRUNE = redisScript(`${LET_GO}
return let_go(redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', '(' .. ARGV[1], 'LIMIT', 0, ${SLICE}))`);

/** Tickets in a Redis. */
export class RedisTicketStore implements TicketStore {
  readonly #link: RedisLink;
  readonly #mostResolved: number;

  constructor(link: RedisLink, mostResolved = RESOLVED_IN_REDIS) {
    this.#link = link;
    this.#mostResolved = mostResolved;
  }

  async create(team: string, ticket: StoredTicket, mostUnresolved: number) {
    const created = await this.#link.run(CREATE, this.#keys(team), [...writtenOf(ticket), mostUnresolved]);
    return created as 'created' | 'taken' | 'full';
  }

  async save(team: string, ticket: StoredTicket): Promise<boolean> {
    const args = [...writtenOf(ticket), ticket.revision - 1, this.#mostResolved];
    return (await this.#link.run(SAVE, this.#keys(team), args)) === 1;
  }

  async find(team: string, ticketId: string): Promise<StoredTicket | undefined> {
    const [rows = ''] = this.#keys(team);
    const [ticket] = ticketsIn([await this.#link.ask((client) => client.hget(rows, ticketId), [rows])]);
    return ticket;
  }

  async unresolvedOf(team: string, causeKey: string): Promise<StoredTicket | undefined> {
    const [ticket] = ticketsIn([await this.#link.run(OF_CAUSE, this.#keys(team), [causeKey])]);
    return ticket;
  }

  async list(team: string, { state, limit }: TicketQuery): Promise<StoredTicket[]> {
    return ticketsIn((await this.#link.run(LIST, this.#keys(team), [state ?? '', limit])) as unknown[]);
  }

  async claimsOver(team: string, nowMs: number): Promise<StoredTicket[]> {
    return ticketsIn((await this.#link.run(CLAIMS_OVER, this.#keys(team), [nowMs])) as unknown[]);
  }

  async unresolved(team: string): Promise<number> {
    const [, ofCause = ''] = this.#keys(team);
    return this.#link.ask((client) => client.hlen(ofCause), [ofCause]);
  }

  async prune(team: string, resolvedBeforeMs: number): Promise<boolean> {
    return (await this.#link.run(PRUNE, this.#keys(team), [resolvedBeforeMs])) === SLICE;
  }

  #keys(team: string): string[] {
    return PARTS.map((part) => this.#link.key(team, 'tickets', part));
  }
}

/** What scripts write of a ticket: the arguments of write(). */
function writtenOf(ticket: StoredTicket): (string | number)[] {
  const { ticketId, causeKey, standing, lastAtMs, revision } = ticket;
  const until = standing.state === 'claimed' ? standing.untilMs : 0;
  const time = standing.state === 'resolved' ? standing.atMs : until;
  return [ticketId, markedJson(revision, ticket), causeKey, standing.state, lastAtMs, time];
}

function ticketsIn(rows: readonly unknown[]): StoredTicket[] {
  return rows.flatMap((row) => (typeof row === 'string' ? [valueIn<StoredTicket>(row, 'a ticket')] : []));
}
