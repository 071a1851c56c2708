import { hasRedisServer, RedisServer } from './redis-server.js';

/*
 * Before all tests: the Redis of REACH_TEST_REDIS_URL, else one that is started for them, else a line that says how to
 * get one. What tests leave in it lies under prefixes that they made up.
 */
let server: RedisServer | undefined;

export async function setup(): Promise<void> {
  if (process.env.REACH_TEST_REDIS_URL !== undefined) return;
  if (!hasRedisServer()) {
    console.warn(
      'No Redis: its tests are skipped. Install one (Debian and Ubuntu: apt-get install redis-server; macOS: brew install redis), or name one with REACH_TEST_REDIS_URL.',
    );
    return;
  }
  server = await RedisServer.start();
  process.env.REACH_TEST_REDIS_URL = server.url;
}

export async function teardown(): Promise<void> {
  await server?.remove();
}
