import { randomUUID } from 'node:crypto';
import { describe, onTestFinished } from 'vitest';
import { RedisLink } from '../../src/storage/redis/redis-link.js';
import { parseRedisTarget } from '../../src/storage/redis/redis-target.js';
import { hasRedisServer, RedisServer } from './redis-server.js';

const SHARED = process.env.REACH_TEST_REDIS_URL;

/** Tests that need a Redis: skipped where there is none. */
export const describeWithRedis = describe.skipIf(SHARED === undefined);

/** Tests that start, pause and end a Redis of their own. */
export const describeWithRedisServer = describe.skipIf(!hasRedisServer());

/** The URL of the shared Redis, under a prefix that nobody else has. */
export function freshRedisUrl(): string {
  return `${SHARED}?prefix=test-${randomUUID()}`;
}

export async function openRedisLink(url = freshRedisUrl()): Promise<RedisLink> {
  return RedisLink.open(parseRedisTarget(url));
}

/** A Redis of its own for the running test. */
export async function ownRedis(...options: readonly string[]): Promise<RedisServer> {
  const server = await RedisServer.start(...options);
  onTestFinished(() => server.remove());
  return server;
}

/** A link for the running test. */
export async function replicaLink(url?: string): Promise<RedisLink> {
  const link = await openRedisLink(url);
  onTestFinished(() => link.close());
  return link;
}

/** The links of several replicas for the running test: to one place, which nobody else has. */
export function replicaLinks(count: number, url = freshRedisUrl()): Promise<RedisLink[]> {
  return Promise.all(Array.from({ length: count }, () => replicaLink(url)));
}
