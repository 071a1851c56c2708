import type { SessionStore, SessionSummary, StoredSession } from '../../sessions/session-store.js';
import { jsonFrom, markedJson, valueIn } from './marked-json.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Sessions of a team that are kept: with 64 KB each, 6.5 GB. */
const SESSIONS_IN_REDIS = 100_000;
/** Rows that one script reads or lets go of. */
const SLICE = 200;

type Document = Omit<StoredSession, keyof SessionSummary>;

/** The keys of a team: summaries behind their revision and the rest, by id; ids by their last change and by their end. */
const LET_GO = `
local function let_go(id)
  redis.call('HDEL', KEYS[2], id)
  redis.call('ZREM', KEYS[3], id)
  redis.call('ZREM', KEYS[4], id)
  return redis.call('HDEL', KEYS[1], id)
end
`;

const FIND = redisScript(
  `return {redis.call('HGET', KEYS[1], ARGV[1]), redis.call('HGET', KEYS[2], ARGV[1])}`,
);

/** ARGV: id, the revision before, summary, document, the times of change and end, how many are kept. */
const SAVE = redisScript(`${LET_GO}
local id = ARGV[1]
local kept = redis.call('HGET', KEYS[1], id)
if (kept and string.match(kept, '^%d+') or '0') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], id, ARGV[3])
redis.call('HSET', KEYS[2], id, ARGV[4])
redis.call('ZADD', KEYS[3], ARGV[5], id)
redis.call('ZADD', KEYS[4], ARGV[6], id)
local too_many = redis.call('ZCARD', KEYS[3]) - tonumber(ARGV[7])
if too_many > 0 then
  for _, oldest in ipairs(redis.call('ZRANGE', KEYS[3], 0, math.min(too_many, ${SLICE}) - 1)) do let_go(oldest) end
end
return 1`);

const REMOVE = redisScript(`${LET_GO} return let_go(ARGV[1])`);

const PRUNE = redisScript(`${LET_GO}
local over = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', ARGV[1], 'LIMIT', 0, ${SLICE})
for _, id in ipairs(over) do let_go(id) end
return #over`);

/** ARGV: how many to pass over, how many to look at, now. Gives how many there were, and the summaries of those that are not over. */
const LIST = redisScript(`
local last = tonumber(ARGV[1]) + tonumber(ARGV[2]) - 1
local ids = redis.call('ZREVRANGE', KEYS[3], ARGV[1], last)
local found = {#ids}
for _, id in ipairs(ids) do
  local ends = redis.call('ZSCORE', KEYS[4], id)
  if ends and tonumber(ends) > tonumber(ARGV[3]) then
    found[#found + 1] = redis.call('HGET', KEYS[1], id)
  end
end
return found`);

/** Sessions in a Redis. */
export class RedisSessionStore implements SessionStore {
  readonly #link: RedisLink;
  readonly #most: number;

  /** `most`: how many are kept of a team. */
  constructor(link: RedisLink, most = SESSIONS_IN_REDIS) {
    this.#link = link;
    this.#most = most;
  }

  async find(team: string, sessionId: string): Promise<StoredSession | undefined> {
    const found = await this.#link.run(FIND, this.#keys(team).slice(0, 2), [sessionId]);
    const [summary, document] = found as [string | null, string | null];
    if (summary === null || document === null) return undefined;
    return { ...summaryIn(summary), ...jsonFrom<Document>(document, 'a session') };
  }

  async save(team: string, session: StoredSession): Promise<boolean> {
    const { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs, ...document } = session;
    const summary = { sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs };
    const saved = await this.#link.run(SAVE, this.#keys(team), [
      sessionId,
      revision - 1,
      markedJson(revision, summary),
      JSON.stringify(document),
      updatedAtMs,
      expiresAtMs,
      this.#most,
    ]);
    return saved === 1;
  }

  async remove(team: string, sessionId: string): Promise<boolean> {
    return (await this.#link.run(REMOVE, this.#keys(team), [sessionId])) === 1;
  }

  async list(
    team: string,
    { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
  ): Promise<SessionSummary[]> {
    // By id: one that changes between two slices moves to the front, and others move back.
    const listed = new Map<string, SessionSummary>();
    for (let passed = 0; listed.size < limit; passed += SLICE) {
      const answer = await this.#link.run(LIST, this.#keys(team), [passed, SLICE, nowMs]);
      const [looked, ...rows] = answer as [number, ...string[]];
      for (const summary of rows.map(summaryIn)) {
        if (listed.size < limit && !listed.has(summary.sessionId)) listed.set(summary.sessionId, summary);
      }
      if (looked < SLICE) break;
    }
    return [...listed.values()];
  }

  async prune(team: string, nowMs: number): Promise<boolean> {
    return (await this.#link.run(PRUNE, this.#keys(team), [nowMs])) === SLICE;
  }

  #keys(team: string): string[] {
    return ['summaries', 'documents', 'by-change', 'by-end'].map((part) =>
      this.#link.key(team, 'sessions', part),
    );
  }
}

function summaryIn(row: string): SessionSummary {
  return valueIn(row, 'a session');
}
