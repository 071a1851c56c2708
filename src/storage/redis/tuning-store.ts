import type { Weights } from '../../routing/weights.js';
import type { NewTuning, Shadow, TuningStore, TuningVersion } from '../../tuning/tuning-store.js';
import { FEED_KEY, TELL_CHANGE, VERSION_KEY } from './change-feed-lua.js';
import { jsonFrom, markedJson, valueIn } from './marked-json.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Versions that are kept, those that were rolled back included: their weights lie in memory. */
export const VERSIONS_IN_REDIS = 20;

/** Of a version that was not rolled back; of another the mark is when it was. */
const STANDING = '-';

type Summary = Omit<TuningVersion, 'number' | 'rolledBackAtMs'>;

/** Gives the top, the newest number, and all numbers with their marks. The versions are few: all are looked at. */
const VERSIONS = `
local function versions()
  local marks, top, newest, count = {}, 0, 0, 0
  local rows = redis.call('HGETALL', KEYS[1])
  for i = 1, #rows, 2 do
    local number = tonumber(rows[i])
    marks[number] = string.match(rows[i + 1], '^%S+')
    newest = math.max(newest, number)
    if marks[number] == '${STANDING}' then top = math.max(top, number) end
    count = count + 1
  end
  return top, newest, marks, count
end
`;

/** ARGV: the top, the summary, the weights, how many versions are kept. Gives the number; 0: the top is another. */
const APPEND = redisScript(`${TELL_CHANGE} ${VERSIONS}
local top, newest, marks, count = versions()
if top ~= tonumber(ARGV[1]) then return 0 end
local number = newest + 1
redis.call('HSET', KEYS[1], number, ARGV[2])
redis.call('HSET', KEYS[2], number, ARGV[3])
if count >= tonumber(ARGV[4]) then
  local oldest, oldest_taken_back
  for each, mark in pairs(marks) do
    oldest = math.min(oldest or each, each)
    if mark ~= '${STANDING}' then oldest_taken_back = math.min(oldest_taken_back or each, each) end
  end
  redis.call('HDEL', KEYS[1], oldest_taken_back or oldest)
  redis.call('HDEL', KEYS[2], oldest_taken_back or oldest)
end
tell(KEYS[4], KEYS[5], 'weights')
return number`);

/** ARGV: the top, when it is taken back. */
const ROLL_BACK = redisScript(`${TELL_CHANGE} ${VERSIONS}
local top = versions()
if top == 0 or top ~= tonumber(ARGV[1]) then return 0 end
local row = redis.call('HGET', KEYS[1], top)
redis.call('HSET', KEYS[1], top, ARGV[2] .. string.sub(row, #'${STANDING}' + 1))
tell(KEYS[4], KEYS[5], 'weights')
return 1`);

/** ARGV: the shadow; nothing: there is none any more. */
const SET_SHADOW = redisScript(`${TELL_CHANGE}
if ARGV[1] == '' then redis.call('DEL', KEYS[3]) else redis.call('SET', KEYS[3], ARGV[1]) end
tell(KEYS[4], KEYS[5], 'weights')`);

/** Tuned weights in a Redis. */
export class RedisTuningStore implements TuningStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async versions(team: string): Promise<readonly TuningVersion[]> {
    const { versions } = this.#keys(team);
    const rows = await this.#link.ask((client) => client.hgetall(versions), [versions]);
    return Object.entries(rows)
      .map(([number, row]) => ({
        ...valueIn<Summary>(row, 'a version of weights'),
        number: Number(number),
        rolledBackAtMs: row.startsWith(STANDING) ? null : Number.parseInt(row, 10),
      }))
      .sort((one, other) => other.number - one.number);
  }

  async weights(team: string, number: number): Promise<Weights | undefined> {
    const { weights } = this.#keys(team);
    const text = await this.#link.ask((client) => client.hget(weights, String(number)), [weights]);
    return text === null ? undefined : jsonFrom(text, 'a file of weights');
  }

  async append(
    team: string,
    { weights, ...tuning }: NewTuning,
    top: number,
  ): Promise<TuningVersion | undefined> {
    const args = [top, markedJson(STANDING, tuning), JSON.stringify(weights), VERSIONS_IN_REDIS];
    const number = Number(await this.#link.run(APPEND, Object.values(this.#keys(team)), args));
    return number === 0 ? undefined : { ...tuning, number, rolledBackAtMs: null };
  }

  async rollBack(team: string, top: number, atMs: number): Promise<boolean> {
    return (await this.#link.run(ROLL_BACK, Object.values(this.#keys(team)), [top, atMs])) === 1;
  }

  async shadow(team: string): Promise<Shadow | null> {
    const { shadow } = this.#keys(team);
    const text = await this.#link.ask((client) => client.get(shadow), [shadow]);
    return text === null ? null : jsonFrom(text, 'weights in the shadow');
  }

  async setShadow(team: string, shadow: Shadow | null): Promise<void> {
    const text = shadow === null ? '' : JSON.stringify(shadow);
    await this.#link.run(SET_SHADOW, Object.values(this.#keys(team)), [text]);
  }

  /** In the order in which scripts know them. */
  #keys(team: string) {
    return {
      versions: this.#link.key(team, 'tuning', 'versions'),
      weights: this.#link.key(team, 'tuning', 'weights'),
      shadow: this.#link.key(team, 'tuning', 'shadow'),
      version: this.#link.key(team, VERSION_KEY),
      feed: this.#link.key(team, FEED_KEY),
    };
  }
}
