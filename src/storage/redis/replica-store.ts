import type { Replica, ReplicaStore } from '../../cluster/replica-store.js';
import { type RedisLink, redisScript } from './redis-link.js';

/*
 * KEYS: the replicas of a team, a hash from the id to `ENDS STARTED`, in ms: when it is over by the clock of Redis, and
 * when it started by its own. There are a few, and those that are over go with the next beat of any.
 * ARGV: id, start, length in ms. Returns id and start of each that lives.
 */
const BEAT = redisScript(`
  local time = redis.call('TIME')
  local now = time[1] * 1000 + math.floor(time[2] / 1000)
  redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[3]) .. ' ' .. ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  local living = {}
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    local ends, started = string.match(all[i + 1], '^(%d+) (%d+)$')
    if ends and tonumber(ends) > now then
      living[#living + 1] = all[i]
      living[#living + 1] = started
    else
      redis.call('HDEL', KEYS[1], all[i])
    end
  end
  return living
`);

/** Which replicas live, in a Redis. */
export class RedisReplicaStore implements ReplicaStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async beat(team: string, { replicaId, startedAtMs }: Replica, ttlMs: number): Promise<readonly Replica[]> {
    const answer = await this.#link.run(BEAT, [this.#key(team)], [replicaId, Math.round(startedAtMs), ttlMs]);
    const parts = answer as readonly string[];
    const living: Replica[] = [];
    for (let i = 0; i < parts.length; i += 2)
      living.push({ replicaId: parts[i] ?? '', startedAtMs: Number(parts[i + 1]) });
    return living;
  }

  async leave(team: string, replicaId: string): Promise<void> {
    const key = this.#key(team);
    await this.#link.ask((client) => client.hdel(key, replicaId), [key]);
  }

  #key(team: string): string {
    return this.#link.key(team, 'replicas');
  }
}
