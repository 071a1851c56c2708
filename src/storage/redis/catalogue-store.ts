import { ReachError } from '../../errors.js';
import type {
  CatalogueStore,
  ManifestVersion,
  NewestManifest,
  StoredManifest,
} from '../../registry/catalogue.js';
import { changedMeanwhile, wouldGoBack } from '../version-conflict.js';
import { FEED_KEY, TELL_CHANGE, VERSION_KEY } from './change-feed-lua.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Versions of an agent that are kept, the current one included. */
export const KEPT_IN_REDIS = 100;
/** Agents whose documents are read in one step. */
const PAGE = 32;

/** What is kept of a version beside its document. */
type Meta = Pick<ManifestVersion, 'manifestVersion' | 'source' | 'publishedAtMs' | 'catalogueVersion'>;

// current: the version of each agent that serves; versions: what is kept of each version of an agent; documents: theirs.
const SAVE = redisScript(`${TELL_CHANGE}
local version, feed, changed, current, versions, documents = unpack(KEYS)
local agent, expected, number, source, document, kept = unpack(ARGV)
local serves = redis.call('HGET', current, agent) or ''
if serves ~= expected then return {'changed', serves} end
local numbers = {}
for _, each in ipairs(redis.call('HKEYS', versions)) do numbers[#numbers + 1] = tonumber(each) end
table.sort(numbers, function(one, other) return one > other end)
if numbers[1] and tonumber(number) < numbers[1] then return {'behind', tostring(numbers[1])} end
local seq = tell(version, feed, 'agent', agent, number)
redis.call('SET', changed, seq)
local time = redis.call('TIME')
local ms = time[1] .. string.format('%03d', math.floor(tonumber(time[2]) / 1000))
redis.call('HSET', versions, number, '{"manifestVersion":' .. number .. ',"source":"' .. source ..
  '","publishedAtMs":' .. ms .. ',"catalogueVersion":' .. seq .. '}')
redis.call('HSET', documents, number, document)
redis.call('HSET', current, agent, number)
local others = {}
for _, each in ipairs(numbers) do if each ~= tonumber(number) then others[#others + 1] = each end end
for place = tonumber(kept), #others do
  local old = string.format('%.0f', others[place])
  redis.call('HDEL', versions, old)
  redis.call('HDEL', documents, old)
end
return {'saved', tostring(seq)}
`);

const REMOVE = redisScript(`${TELL_CHANGE}
local version, feed, changed, current = unpack(KEYS)
local agent, expected = unpack(ARGV)
local serves = redis.call('HGET', current, agent) or ''
if serves ~= expected then return {'changed', serves} end
redis.call('HDEL', current, agent)
local seq = tell(version, feed, 'agent', agent)
redis.call('SET', changed, seq)
return {'removed', tostring(seq)}
`);

/** Of each agent, behind the first key: what is kept of its newest version, its document, and which version serves. */
const NEWEST = redisScript(`
local found = {}
for place, agent in ipairs(ARGV) do
  local versions, documents = KEYS[place * 2], KEYS[place * 2 + 1]
  local newest
  for _, each in ipairs(redis.call('HKEYS', versions)) do
    if not newest or tonumber(each) > tonumber(newest) then newest = each end
  end
  if newest then
    found[#found + 1] = agent
    found[#found + 1] = redis.call('HGET', versions, newest)
    found[#found + 1] = redis.call('HGET', documents, newest) or 'null'
    found[#found + 1] = redis.call('HGET', KEYS[1], agent) or ''
  end
end
return found
`);

/** The catalogue in Redis, with the history of each agent. */
export class RedisCatalogueStore implements CatalogueStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async load(team: string): Promise<{ version: number; manifests: StoredManifest[] }> {
    const current = this.#current(team);
    const version = Number((await this.#link.ask((client) => client.get(this.#changed(team)))) ?? 0);
    const manifests: StoredManifest[] = [];
    let cursor = '0';
    do {
      const [next, entries] = await this.#link.ask(
        (client) => client.hscan(current, cursor, 'COUNT', PAGE),
        [current],
      );
      cursor = next;
      const agents = entries.filter((_, place) => place % 2 === 0);
      for (let start = 0; start < agents.length; start += PAGE) {
        const page = await this.#newest(team, agents.slice(start, start + PAGE));
        for (const { manifest, removed } of page) if (!removed) manifests.push(manifest);
      }
    } while (cursor !== '0');
    // While a hash grows, a scan may tell of one of its fields twice.
    const byName = new Map(manifests.map((manifest) => [manifest.agentName, manifest]));
    return { version, manifests: [...byName.values()] };
  }

  async newest(team: string, agentName: string): Promise<NewestManifest | undefined> {
    const [newest] = await this.#newest(team, [agentName]);
    return newest;
  }

  async save(team: string, manifest: StoredManifest, expectedVersion: number | null): Promise<number> {
    const { agentName, manifestVersion, source, document } = manifest;
    const keys = [...this.#sequence(team), this.#current(team), ...this.#keysOf(team, agentName)];
    const expected = expectedVersion === null ? '' : String(expectedVersion);
    const args = [
      agentName,
      expected,
      String(manifestVersion),
      source,
      JSON.stringify(document),
      KEPT_IN_REDIS,
    ];
    const [outcome, number] = (await this.#link.run(SAVE, keys, args)) as [string, string];
    if (outcome === 'changed') throw changedMeanwhile(agentName, number === '' ? null : Number(number));
    if (outcome === 'behind') throw wouldGoBack(agentName, Number(number), manifestVersion);
    return Number(number);
  }

  async remove(team: string, agentName: string, expectedVersion: number): Promise<number> {
    const keys = [...this.#sequence(team), this.#current(team)];
    const args = [agentName, String(expectedVersion)];
    const [outcome, number] = (await this.#link.run(REMOVE, keys, args)) as [string, string];
    if (outcome === 'changed') throw changedMeanwhile(agentName, number === '' ? null : Number(number));
    return Number(number);
  }

  async history(team: string, agentName: string, limit: number): Promise<readonly ManifestVersion[]> {
    const [versions] = this.#keysOf(team, agentName);
    const current = this.#current(team);
    const [serves, kept] = await this.#link.ask(
      (client) => Promise.all([client.hget(current, agentName), client.hvals(versions)]),
      [current, versions],
    );
    return kept
      .map((text): Meta => this.#read(text, versions))
      .sort((one, other) => other.manifestVersion - one.manifestVersion)
      .slice(0, limit)
      .map((meta) => ({ ...meta, current: String(meta.manifestVersion) === serves }));
  }

  async version(
    team: string,
    agentName: string,
    manifestVersion: number,
  ): Promise<StoredManifest | undefined> {
    const [versions, documents] = this.#keysOf(team, agentName);
    const field = String(manifestVersion);
    const [meta, document] = await this.#link.ask(
      (client) => Promise.all([client.hget(versions, field), client.hget(documents, field)]),
      [versions, documents],
    );
    if (meta === null || document === null) return undefined;
    const { source } = this.#read<Meta>(meta, versions);
    return { agentName, manifestVersion, source, document: this.#read(document, documents) };
  }

  async #newest(team: string, agentNames: readonly string[]): Promise<NewestManifest[]> {
    const keys = [this.#current(team), ...agentNames.flatMap((agentName) => this.#keysOf(team, agentName))];
    const found = (await this.#link.run(NEWEST, keys, agentNames)) as string[];
    const newest: NewestManifest[] = [];
    for (let place = 0; place < found.length; place += 4) {
      const [agentName = '', meta = '', document = '', serves] = found.slice(place, place + 4);
      const [versions, documents] = this.#keysOf(team, agentName);
      const { manifestVersion, source } = this.#read<Meta>(meta, versions);
      newest.push({
        manifest: { agentName, manifestVersion, source, document: this.#read(document, documents) },
        removed: serves !== String(manifestVersion),
      });
    }
    return newest;
  }

  /** The team's sequence, its feed, and the number of the catalogue's last change. */
  #sequence(team: string): string[] {
    return [this.#link.key(team, VERSION_KEY), this.#link.key(team, FEED_KEY), this.#changed(team)];
  }

  #changed(team: string): string {
    return this.#link.key(team, 'catalogue');
  }

  #current(team: string): string {
    return this.#link.key(team, 'current');
  }

  /** What is kept of an agent's versions, and their documents. */
  #keysOf(team: string, agentName: string): [versions: string, documents: string] {
    return [this.#link.key(team, 'versions', agentName), this.#link.key(team, 'documents', agentName)];
  }

  #read<Value>(text: string, key: string): Value {
    try {
      return JSON.parse(text) as Value;
    } catch (cause) {
      throw new ReachError('STORE_UNAVAILABLE', `What Redis keeps in ${key} is no JSON.`, { cause });
    }
  }
}
