import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChangeFeed, FeedPosition, StoredChange } from '../../registry/change-feed.js';
import { FEED_KEY, VERSION_KEY } from './change-feed-lua.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Entries that are read in one step. */
const PAGE = 1_000;
/** After so long without an entry it is looked whether the store is still the same, in ms. */
const LOOKED_EVERY_MS = 2_000;
const AGAIN_MS = 200;

const POSITION = redisScript(`
local version, life = unpack(KEYS)
redis.call('SET', life, ARGV[1], 'NX')
return {redis.call('GET', life), redis.call('GET', version) or '0'}
`);
const AFTER = redisScript(`
return {redis.call('GET', KEYS[1]) or '0', redis.call('XRANGE', KEYS[2], ARGV[1], '+', 'COUNT', ARGV[2])}
`);

/** The feed as a Redis stream: the number of a change is the first part of its entry's id. */
export class RedisChangeFeed implements ChangeFeed {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async position(team: string): Promise<FeedPosition> {
    const keys = [this.#version(team), this.#link.key(team, 'life')];
    const [life, seq] = (await this.#link.run(POSITION, keys, [randomUUID()])) as [string, string];
    return { life, seq: Number(seq) };
  }

  async after(team: string, seq: number): Promise<readonly StoredChange[] | undefined> {
    const args = [`${seq + 1}-0`, PAGE];
    const [version, entries] = (await this.#link.run(
      AFTER,
      [this.#version(team), this.#feed(team)],
      args,
    )) as [string, [id: string, fields: string[]][]];
    const changes = entries.map(changeOf);
    // Every number has an entry: where the next one is not there, it has been let go of.
    const isWhole = changes.length === 0 ? Number(version) === seq : changes[0]?.seq === seq + 1;
    return isWhole ? changes : undefined;
  }

  follow(team: string, listener: () => void): () => void {
    const end = new AbortController();
    const client = this.#link.waitingClient();
    // Whatever happened while the connection was lost, somebody has to look.
    client.on('ready', listener);
    const wait = async () => {
      let seen: string | null = null;
      while (!end.signal.aborted) {
        try {
          const version = await client.get(this.#version(team));
          if (seen !== null && version !== seen) listener();
          seen = version ?? '0';
          await client.xread('COUNT', 1, 'BLOCK', LOOKED_EVERY_MS, 'STREAMS', this.#feed(team), `${seen}-0`);
        } catch {
          await sleep(AGAIN_MS);
        }
      }
    };
    void wait();
    return () => {
      end.abort();
      client.disconnect();
    };
  }

  #version(team: string): string {
    return this.#link.key(team, VERSION_KEY);
  }

  #feed(team: string): string {
    return this.#link.key(team, FEED_KEY);
  }
}

function changeOf([id, fields]: [id: string, fields: string[]]): StoredChange {
  const [, kind, , agentName = '', , of = ''] = fields;
  const seq = Number(id.split('-')[0]);
  if (kind === 'instance') return { seq, kind, agentName, instanceId: of };
  if (kind !== 'agent') return { seq, kind: 'weights' };
  return { seq, kind, agentName, manifestVersion: of === '' ? undefined : Number(of) };
}
