import { setTimeout as sleep } from 'node:timers/promises';
import { RedisLink } from '../../src/storage/redis/redis-link.js';
import { parseRedisTarget } from '../../src/storage/redis/redis-target.js';
import type { ReplicaSet } from './replica-set.js';

/** How often, in ms. */
const KILLED_EVERY_MS = 6_000;
const CUT_EVERY_MS = 7_000;
const PAUSE_MS = 10_000;

export interface HappenedFaults {
  readonly kills: number;
  readonly cuts: number;
  readonly pauses: number;
  readonly restarts: number;
}

/**
 * Lets go wrong for so long what can: replicas are killed and started again, connections to Redis cut, and Redis is paused
 * twice for 10 s and killed once, to come back with its append-only file. Resolves when all is well again.
 */
export async function harm(
  replicas: ReplicaSet,
  seconds: number,
  random: () => number,
): Promise<HappenedFaults> {
  const totalMs = seconds * 1_000;
  const startedAt = performance.now();
  const until = (ms: number) => sleep(Math.max(0, startedAt + ms - performance.now()));
  const isOver = () => performance.now() - startedAt >= totalMs;
  const happened = { kills: 0, cuts: 0, pauses: 0, restarts: 0 };

  async function killReplicas() {
    while (!isOver()) {
      await sleep(KILLED_EVERY_MS * (0.5 + random()));
      if (isOver()) return;
      const url = replicas.urls[Math.floor(random() * replicas.urls.length)] ?? '';
      await replicas.kill(url);
      happened.kills += 1;
      // While Redis is away it ends at its start: whoever runs it starts it again.
      while (replicas.at(url) === undefined) await replicas.start(url).catch(() => sleep(500));
    }
  }
  async function cutConnections() {
    while (!isOver()) {
      await sleep(CUT_EVERY_MS * (0.5 + random()));
      if (isOver()) return;
      const cut = await RedisLink.open(parseRedisTarget(replicas.redis.url)).catch(() => undefined);
      await cut
        ?.ask((client) => client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes'))
        .then(
          () => {
            happened.cuts += 1;
          },
          () => {},
        );
      await cut?.close();
    }
  }
  async function harmRedis() {
    for (const share of [0.2, 0.55]) {
      await until(totalMs * share);
      replicas.redis.pause();
      await sleep(Math.min(PAUSE_MS, totalMs / 6));
      replicas.redis.resume();
      happened.pauses += 1;
    }
    await until(totalMs * 0.85);
    await replicas.redis.end('SIGKILL');
    await replicas.redis.begin();
    happened.restarts += 1;
  }
  await Promise.all([killReplicas(), cutConnections(), harmRedis()]);
  return happened;
}
