import type { LabelQuery, LabelStore } from '../../labels/label-store.js';
import { isWritten, type StoredLabel } from '../../labels/stored-label.js';
import { LABEL_SOURCES } from '../../wire/labels.js';
import { LIMITS } from '../../wire/limits.js';
import { markedJson, valueIn } from './marked-json.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Those first that make room for others. KEYS[1] is the rows; then follows one order for each of these. */
const SOURCES = LABEL_SOURCES.toSorted(
  (one, other) => Number(isWritten({ source: one })) - Number(isWritten({ source: other })),
);
const UNWRITTEN = SOURCES.filter((source) => !isWritten({ source })).length;

/**
 * The members of an order stand by their bytes: the time, as wide as the largest, then the id. The mark of a row is its
 * member behind the place of its order among the keys.
 */
const REMOVE = redisScript(`
local row = redis.call('HGET', KEYS[1], ARGV[1])
if not row then return 0 end
local key, member = string.match(row, '^(%d+)/(%S+)')
redis.call('ZREM', KEYS[tonumber(key)], member)
return redis.call('HDEL', KEYS[1], ARGV[1])`);

/**
 * ARGV: how many are kept; then of each label its id, the key of its order, its member and its row. Few commands for
 * many labels: 1,000 hold Redis for up to 10 ms.
 */
const ADD = redisScript(`
local most = tonumber(ARGV[1])
local function many(command, key, list)
  for i = 1, #list, 1000 do redis.call(command, key, unpack(list, i, math.min(i + 999, #list))) end
end
local function lists()
  local each = {}
  for key = 2, #KEYS do each[key] = {} end
  return each
end

local fresh, written = 0, 0
for key = ${UNWRITTEN + 2}, #KEYS do written = written + redis.call('ZCARD', KEYS[key]) end
local rows, outdated, added = {}, lists(), lists()
for i = 2, #ARGV, 4 do
  local id, key, member, row = ARGV[i], tonumber(ARGV[i + 1]), ARGV[i + 2], ARGV[i + 3]
  local kept = redis.call('HGET', KEYS[1], id)
  if kept then
    table.insert(outdated[key], string.match(kept, '^%d+/(%S+)'))
  else
    fresh = fresh + 1
    if key > ${UNWRITTEN + 1} then written = written + 1 end
  end
  table.insert(added[key], 0)
  table.insert(added[key], member)
  table.insert(rows, id)
  table.insert(rows, row)
end
if written > most then return -1 end
for key = 2, #KEYS do
  many('ZREM', KEYS[key], outdated[key])
  many('ZADD', KEYS[key], added[key])
end
many('HSET', KEYS[1], rows)

local too_many = redis.call('HLEN', KEYS[1]) - most
if too_many <= 0 then return fresh end
local oldest = {}
for key = 2, ${UNWRITTEN + 1} do
  for _, member in ipairs(redis.call('ZRANGE', KEYS[key], 0, too_many - 1)) do
    table.insert(oldest, {member = member, key = key})
  end
end
table.sort(oldest, function(one, other) return one.member < other.member end)
local ids, members = {}, lists()
for i = 1, too_many do
  table.insert(ids, string.match(oldest[i].member, ':(.*)'))
  table.insert(members[oldest[i].key], oldest[i].member)
end
many('HDEL', KEYS[1], ids)
for key = 2, ${UNWRITTEN + 1} do many('ZREM', KEYS[key], members[key]) end
return fresh`);

/** ARGV: the end that is left out, how many, then the keys of the orders. */
const PAGE = redisScript(`
local members = {}
for i = 3, #ARGV do
  for _, member in ipairs(redis.call('ZRANGEBYLEX', KEYS[tonumber(ARGV[i])], ARGV[1], '+', 'LIMIT', 0, ARGV[2])) do
    members[#members + 1] = member
  end
end
table.sort(members)
local rows = {}
for i = 1, math.min(#members, tonumber(ARGV[2])) do
  rows[i] = redis.call('HGET', KEYS[1], string.match(members[i], ':(.*)'))
end
return rows`);

/** Labels in a Redis. */
export class RedisLabelStore implements LabelStore {
  readonly #link: RedisLink;
  readonly #most: number;

  /** `most`: how many of a team are kept: with some 630 bytes each, 63 MB. */
  constructor(link: RedisLink, most: number = LIMITS.labels) {
    this.#link = link;
    this.#most = most;
  }

  async add(team: string, labels: readonly StoredLabel[]): Promise<number | 'full'> {
    const rows = labels.flatMap((label) => {
      const { labelId, source } = label;
      const [key, member] = [keyOf(source), memberOf(label)];
      return [labelId, key, member, markedJson(`${key}/${member}`, label)];
    });
    const added = Number(await this.#link.run(ADD, this.#keys(team), [this.#most, ...rows]));
    return added < 0 ? 'full' : added;
  }

  async remove(team: string, labelId: string): Promise<boolean> {
    return (await this.#link.run(REMOVE, this.#keys(team), [labelId])) === 1;
  }

  async page(team: string, { source, fromMs, after, limit }: LabelQuery): Promise<readonly StoredLabel[]> {
    const orders = source === undefined ? SOURCES : [source];
    const from = `(${memberOf(after ?? { atMs: fromMs, labelId: '' })}`;
    const rows = await this.#link.run(PAGE, this.#keys(team), [from, limit, ...orders.map(keyOf)]);
    return (rows as string[]).map((row) => valueIn(row, 'a label'));
  }

  #keys(team: string): string[] {
    return ['rows', ...SOURCES].map((part) => this.#link.key(team, 'labels', part));
  }
}

/** Its place among the keys, which Lua counts from 1. */
function keyOf(source: StoredLabel['source']): number {
  return SOURCES.indexOf(source) + 2;
}

function memberOf({ atMs, labelId }: Pick<StoredLabel, 'atMs' | 'labelId'>): string {
  return `${String(Math.max(0, atMs)).padStart(16, '0')}:${labelId}`;
}
