import {
  type AgentMinute,
  PERIOD_NAMES,
  PERIODS,
  type Period,
  startOf,
  type TrendRow,
  type TrendStore,
} from '../../record/trend-store.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Rows of an agent that stand in one key, which Redis then keeps in some 40 bytes each. */
const CHUNK_ROWS = 60;
/** Chunks that are let go of before others have their turn. */
const PRUNED = 200;
/** Chunks of an agent that are read at once. */
const READ = 50;

/**
 * KEYS: for each chunk its order by agent, that by time, and itself. ARGV: '1' where rows take the place of those that are
 * there, else they are added to them; then for each row the place of its chunk, the agent,
 * the start of the chunk, its own start, and its seven numbers. Numbers are written so that they are the same when read.
 */
const ADD = redisScript(`
for i = 2, #ARGV, 11 do
  local key = 3 * tonumber(ARGV[i])
  local chunk, at = KEYS[key], ARGV[i + 3]
  redis.call('ZADD', KEYS[key - 2], 0, ARGV[i + 1] .. '/' .. ARGV[i + 2])
  redis.call('ZADD', KEYS[key - 1], 0, ARGV[i + 2] .. '/' .. ARGV[i + 1])
  local row = {}
  for part = 1, 7 do row[part] = tonumber(ARGV[i + 3 + part]) end
  local kept = ARGV[1] == '0' and redis.call('HGET', chunk, at)
  if kept then
    local before = {}
    for number in string.gmatch(kept, '%S+') do before[#before + 1] = tonumber(number) end
    row = {
      row[1] + before[1], row[2] + before[2], math.min(row[3], before[3]), math.min(row[4], before[4]),
      math.max(row[5], before[5]), row[6] + before[6], row[7] + before[7],
    }
  end
  for part = 1, 7 do row[part] = string.format('%.17g', row[part]) end
  redis.call('HSET', chunk, at, table.concat(row, ' '))
end`);

/** KEYS: a team's times before which nothing is kept. ARGV: the period, the time. */
const LET_GO_BEFORE = redisScript(`
local before = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
if tonumber(ARGV[2]) > before then redis.call('HSET', KEYS[1], ARGV[1], ARGV[2]) end`);

/** KEYS: the order by agent, that by time, then chunks. ARGV: their members in both, one after the other. */
const LET_GO = redisScript(`
for i = 1, #ARGV, 2 do
  redis.call('ZREM', KEYS[1], ARGV[i])
  redis.call('ZREM', KEYS[2], ARGV[i + 1])
end
for i = 3, #KEYS do redis.call('UNLINK', KEYS[i]) end`);

type PeriodRow = TrendRow & { readonly agentName: string; readonly period: Period };

const timeOf = (atMs: number) => String(Math.max(0, Math.floor(atMs))).padStart(16, '0');

/**
 * Rolled-up reachability in a Redis, in chunks of an agent and a period. A chunk goes when all of it is too old; rows of
 * one that are too old before that are not given any more.
 */
export class RedisTrendStore implements TrendStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async add(team: string, tallies: readonly AgentMinute[]): Promise<void> {
    const rows = PERIOD_NAMES.flatMap((period) =>
      tallies.map((tally) => ({ ...tally, period, atMs: startOf(period, tally.atMs) })),
    );
    await this.#write(team, rows, '0');
  }

  /** Puts rows of any period in the place of those that are there. */
  async put(team: string, rows: readonly PeriodRow[]): Promise<void> {
    await this.#write(team, rows, '1');
  }

  /** All rows of a period, agent by agent. */
  async *all(team: string, period: Period): AsyncGenerator<PeriodRow> {
    const order = this.#key(team, period, 'by-agent');
    let first = '-';
    for (;;) {
      const members = await this.#link.ask((client) =>
        client.zrangebylex(order, first, '+', 'LIMIT', 0, READ),
      );
      for (const member of members) {
        const agentName = firstIn(member);
        const chunk = this.#chunk(team, period, agentName, secondIn(member));
        const rows = rowsIn(await this.#link.ask((client) => client.hgetall(chunk)));
        for (const row of rows) yield { ...row, agentName, period };
      }
      if (members.length < READ) return;
      first = `(${members.at(-1)}`;
    }
  }

  async #write(team: string, rows: readonly PeriodRow[], replace: '0' | '1'): Promise<void> {
    const keys: string[] = [];
    const places = new Map<string, number>();
    const args: (string | number)[] = [replace];
    for (const { agentName, period, atMs, ...tally } of rows) {
      const start = timeOf(chunkOf(period, atMs));
      const chunk = this.#chunk(team, period, agentName, start);
      const place = places.get(chunk) ?? places.size + 1;
      if (place > places.size) {
        places.set(chunk, place);
        keys.push(this.#key(team, period, 'by-agent'), this.#key(team, period, 'by-time'), chunk);
      }
      const { samples, reachabilitySum, reachabilityMin, eligible, registered, routed, failed } = tally;
      const numbers = [samples, reachabilitySum, reachabilityMin, eligible, registered, routed, failed];
      args.push(place, agentName, start, atMs, ...numbers);
    }
    if (keys.length > 0) await this.#link.run(ADD, keys, args);
  }

  async rows(team: string, agentName: string, period: Period, fromMs: number): Promise<readonly TrendRow[]> {
    const before = await this.#link.ask((client) => client.hget(this.#before(team), period));
    const sinceMs = Math.max(fromMs, Number(before ?? 0));
    const order = this.#key(team, period, 'by-agent');
    const rows: TrendRow[] = [];
    let first = `[${agentName}/${timeOf(chunkOf(period, sinceMs))}`;
    for (;;) {
      const members = await this.#link.ask((client) =>
        client.zrangebylex(order, first, `(${agentName}0`, 'LIMIT', 0, READ),
      );
      const chunks = members.map((member) => this.#chunk(team, period, agentName, secondIn(member)));
      const found = await this.#link.ask((client) => Promise.all(chunks.map((key) => client.hgetall(key))));
      rows.push(...found.flatMap(rowsIn).filter(({ atMs }) => atMs >= sinceMs));
      if (members.length < READ) return rows.sort((one, other) => one.atMs - other.atMs);
      first = `(${members.at(-1)}`;
    }
  }

  async prune(team: string, beforeMs: Readonly<Record<Period, number>>): Promise<boolean> {
    const more = await Promise.all(PERIOD_NAMES.map((period) => this.#prune(team, period, beforeMs[period])));
    return more.includes(true);
  }

  async #prune(team: string, period: Period, beforeMs: number): Promise<boolean> {
    await this.#link.run(LET_GO_BEFORE, [this.#before(team)], [period, beforeMs]);
    const byTime = this.#key(team, period, 'by-time');
    const until = `(${timeOf(chunkOf(period, beforeMs))}`;
    const members = await this.#link.ask((client) =>
      client.zrangebylex(byTime, '-', until, 'LIMIT', 0, PRUNED),
    );
    if (members.length === 0) return false;
    const agents = members.map((member) => [secondIn(member), firstIn(member)] as const);
    const chunks = agents.map(([agentName, start]) => this.#chunk(team, period, agentName, start));
    const args = members.flatMap((member, place) => [agents[place]?.join('/') ?? '', member]);
    await this.#link.run(LET_GO, [this.#key(team, period, 'by-agent'), byTime, ...chunks], args);
    return members.length === PRUNED;
  }

  #key(team: string, period: Period, order: string): string {
    return this.#link.key(team, 'trends', period, order);
  }

  #chunk(team: string, period: Period, agentName: string, start: string): string {
    return this.#link.key(team, 'trends', period, 'rows', agentName, String(Number(start)));
  }

  #before(team: string): string {
    return this.#link.key(team, 'trends', 'before');
  }
}

function chunkOf(period: Period, atMs: number): number {
  const length = CHUNK_ROWS * PERIODS[period];
  return Math.floor(atMs / length) * length;
}

const firstIn = (member: string) => member.slice(0, member.indexOf('/'));
const secondIn = (member: string) => member.slice(member.indexOf('/') + 1);

function rowsIn(chunk: Readonly<Record<string, string>>): TrendRow[] {
  return Object.entries(chunk).map(([atMs, numbers]) => {
    const [samples = 0, reachabilitySum = 0, reachabilityMin = 0, eligible = 0, ...counts] = numbers
      .split(' ')
      .map(Number);
    const [registered = 0, routed = 0, failed = 0] = counts;
    const seen = { samples, reachabilitySum, reachabilityMin, eligible, registered };
    return { atMs: Number(atMs), ...seen, routed, failed };
  });
}
