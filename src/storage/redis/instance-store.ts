import { ReachError } from '../../errors.js';
import { type InstanceName, instanceKey } from '../../registry/instance.js';
import type { InstanceStore, StoredInstance } from '../../registry/instance-store.js';
import { instanceChangedMeanwhile } from '../next-address-version.js';
import { FEED_KEY, TELL_CHANGE, VERSION_KEY } from './change-feed-lua.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Rows that are read in one step. */
const PAGE = 500;
/** Rows that are removed in one step. */
const REMOVED_AT_ONCE = 200;

/** What is undefined has no place in JSON; it has one in an instance. */
const UNDEFINED = {
  healthAddress: undefined,
  region: undefined,
  version: undefined,
  incarnation: undefined,
};

// A row is the version of its address, the address, and the instance as JSON, with a space between: no address has one.
const SAVE = redisScript(`${TELL_CHANGE}
local version, feed, instances = unpack(KEYS)
local key, expected, address, json, agent, instance = unpack(ARGV)
local stored = redis.call('HGET', instances, key)
local before, place = '', ''
if stored then before, place = string.match(stored, '^(%d+) (%S+) ') end
if before ~= expected then return '' end
local seq = tell(version, feed, 'instance', agent, instance)
local number = (place == address) and before or tostring(seq)
redis.call('HSET', instances, key, number .. ' ' .. address .. ' ' .. json)
return number
`);

const REMOVE = redisScript(`${TELL_CHANGE}
local version, feed, instances = unpack(KEYS)
local seq
for place = 1, #ARGV, 3 do
  if redis.call('HDEL', instances, ARGV[place]) == 1 then
    seq = tell(version, feed, 'instance', ARGV[place + 1], ARGV[place + 2])
  end
end
if not seq then seq = tell(version, feed, 'instance') end
return tostring(seq)
`);

/** Registered instances in Redis: one hash a team. */
export class RedisInstanceStore implements InstanceStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async load(team: string): Promise<StoredInstance[]> {
    const key = this.#instances(team);
    const rows = new Map<string, StoredInstance>();
    let cursor = '0';
    do {
      const [next, entries] = await this.#link.ask(
        (client) => client.hscan(key, cursor, 'COUNT', PAGE),
        [key],
      );
      cursor = next;
      for (let place = 0; place < entries.length; place += 2) {
        rows.set(entries[place] ?? '', this.#read(entries[place + 1] ?? '', key));
      }
    } while (cursor !== '0');
    return [...rows.values()];
  }

  async find(team: string, names: readonly InstanceName[]): Promise<StoredInstance[]> {
    const key = this.#instances(team);
    const found: StoredInstance[] = [];
    for (let start = 0; start < names.length; start += PAGE) {
      const fields = names.slice(start, start + PAGE).map(instanceKey);
      const rows = await this.#link.ask((client) => client.hmget(key, ...fields), [key]);
      for (const row of rows) if (row !== null) found.push(this.#read(row, key));
    }
    return found;
  }

  async save(
    team: string,
    instance: Omit<StoredInstance, 'addrVersion'>,
    expected: number | null,
  ): Promise<number> {
    const { agentName, instanceId, address } = instance;
    const before = expected === null ? '' : String(expected);
    const args = [instanceKey(instance), before, address, JSON.stringify(instance), agentName, instanceId];
    const number = await this.#link.run(SAVE, this.#keys(team), args);
    if (number === '') throw instanceChangedMeanwhile(instance);
    return Number(number);
  }

  async remove(team: string, names: readonly InstanceName[]): Promise<number> {
    let version = 0;
    let start = 0;
    do {
      const slice = names.slice(start, start + REMOVED_AT_ONCE);
      const args = slice.flatMap((name) => [instanceKey(name), name.agentName, name.instanceId]);
      version = Number(await this.#link.run(REMOVE, this.#keys(team), args));
      start += REMOVED_AT_ONCE;
    } while (start < names.length);
    return version;
  }

  #instances(team: string): string {
    return this.#link.key(team, 'instances');
  }

  #keys(team: string): string[] {
    return [this.#link.key(team, VERSION_KEY), this.#link.key(team, FEED_KEY), this.#instances(team)];
  }

  #read(row: string, key: string): StoredInstance {
    const [number = '', address = ''] = row.split(' ', 2);
    try {
      const instance = JSON.parse(row.slice(number.length + address.length + 2));
      return { ...UNDEFINED, ...instance, addrVersion: Number(number) };
    } catch (cause) {
      throw new ReachError('STORE_UNAVAILABLE', `What Redis keeps in ${key} is no instance.`, { cause });
    }
  }
}
