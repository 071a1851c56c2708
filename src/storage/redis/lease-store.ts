import { type InstanceName, instanceKey } from '../../registry/instance.js';
import type { LeaseStore, NotedLease } from '../../registry/lease-store.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Leases that are noted or asked for in one step. */
const AT_ONCE = 500;
/** What has been over for so long is of no use to anybody, in ms. */
const FORGOTTEN_AFTER_MS = 600_000;

const NOW = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
`;
// GT: another replica may have granted a longer one meanwhile.
const NOTE = redisScript(`${NOW}
for place = 1, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + tonumber(ARGV[place + 1])), ARGV[place])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - ${FORGOTTEN_AFTER_MS}))
`);
const LEFT = redisScript(`${NOW}
local left = {}
for place, name in ipairs(ARGV) do
  local ends = redis.call('ZSCORE', KEYS[1], name)
  left[place] = ends and math.max(0, tonumber(ends) - now) or 0
end
return left
`);

/** The ends of leases in Redis, by its clock: one sorted set a team. */
export class RedisLeaseStore implements LeaseStore {
  readonly #link: RedisLink;

  constructor(link: RedisLink) {
    this.#link = link;
  }

  async note(team: string, leases: readonly NotedLease[]): Promise<void> {
    for (let start = 0; start < leases.length; start += AT_ONCE) {
      const slice = leases.slice(start, start + AT_ONCE);
      const args = slice.flatMap((lease) => [instanceKey(lease), Math.round(lease.leaseMs)]);
      await this.#link.run(NOTE, [this.#key(team)], args);
    }
  }

  async left(team: string, names: readonly InstanceName[]): Promise<readonly number[]> {
    const left: number[] = [];
    for (let start = 0; start < names.length; start += AT_ONCE) {
      const slice = names.slice(start, start + AT_ONCE).map(instanceKey);
      left.push(...((await this.#link.run(LEFT, [this.#key(team)], slice)) as number[]));
    }
    return left;
  }

  #key(team: string): string {
    return this.#link.key(team, 'leases');
  }
}
