import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { RedisLink, redisScript } from '../../../src/storage/redis/redis-link.js';
import { parseRedisTarget } from '../../../src/storage/redis/redis-target.js';
import { freePort } from '../../support/free-port.js';
import { describeWithRedisServer, ownRedis } from '../../support/redis.js';
import { until } from '../../support/until.js';

const COUNT = redisScript(`return redis.call('INCRBY', KEYS[1], ARGV[1])`);

async function linkTo(url: string): Promise<RedisLink> {
  const link = await RedisLink.open(parseRedisTarget(url));
  onTestFinished(() => link.close());
  return link;
}

describeWithRedisServer('a link to Redis', () => {
  test('runs scripts, also those that Redis has forgotten', async () => {
    const link = await linkTo((await ownRedis()).url);
    const key = link.key('t', 'count');
    expect(key).toBe('reach:{t}:count');
    expect(await link.run(COUNT, [key], [2])).toBe(2);
    await link.ask((client) => client.script('FLUSH'));
    expect(await link.run(COUNT, [key], [3])).toBe(5);
    expect(link.status()).toEqual({ state: 'ok', detail: expect.stringContaining('prefix reach') });
  });

  test.each([
    ['a wrong password', ['--requirepass', 'right'], (url: string) => url.replace('//', '//default:wrong@')],
    ['no password', ['--requirepass', 'right'], (url: string) => url],
  ])('is refused with %s, which it does not tell', async (_, options, change) => {
    const { url } = await ownRedis(...options);
    const opening = RedisLink.open(parseRedisTarget(change(url)));
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringMatching(
        /does not take the user and password\. Redis at 127\.0\.0\.1:\d+, prefix reach\.$/,
      ),
    });
    await expect(opening).rejects.not.toThrow(/wrong|right/);
  });

  test('uses the right password', async () => {
    const { url } = await ownRedis('--requirepass', 'p@ss');
    const link = await linkTo(url.replace('//', '//default:p%40ss@'));
    expect(await link.run(COUNT, [link.key('t', 'count')], [1])).toBe(1);
  });

  test('is refused by a read-only replica', async () => {
    const master = await ownRedis();
    const replica = await ownRedis('--replicaof', '127.0.0.1', String(master.port));
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('read-only replica') };
    await expect(RedisLink.open(parseRedisTarget(replica.url))).rejects.toMatchObject(refused);
  });

  test('says that Redis is full', async () => {
    const server = await ownRedis('--maxmemory', '1kb', '--maxmemory-policy', 'noeviction');
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('Redis is full') };
    await expect(RedisLink.open(parseRedisTarget(server.url))).rejects.toMatchObject(refused);
  });

  test('says that a key is of another type than ours', async () => {
    const link = await linkTo((await ownRedis()).url);
    const key = link.key('t', 'count');
    await link.ask((client) => client.lpush(key, 'foreign'));
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining(key) };
    await expect(link.run(COUNT, [key], [1])).rejects.toMatchObject(refused);
    expect(link.status().state).toBe('ok');
  });

  test('is refused where nobody listens', async () => {
    const opening = RedisLink.open(parseRedisTarget(`redis://127.0.0.1:${await freePort()}`));
    const refused = { code: 'STORE_UNAVAILABLE', message: expect.stringContaining('cannot be reached') };
    await expect(opening).rejects.toMatchObject(refused);
  });

  test('fails at once while Redis is paused, and is whole soon after', async () => {
    const server = await ownRedis();
    const link = await linkTo(server.url);
    const key = link.key('t', 'count');
    let returns = 0;
    link.onReturn(() => {
      returns += 1;
    });
    server.pause();
    await expect(link.run(COUNT, [key], [1])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(link.status()).toEqual({ state: 'failed', detail: expect.stringContaining('does not answer') });
    const began = performance.now();
    const many = Array.from({ length: 1_000 }, () => link.run(COUNT, [key], [1]));
    const outcomes = await Promise.allSettled(many);
    expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    expect(performance.now() - began).toBeLessThan(1_500);
    server.resume();
    await until(() => link.status().state === 'ok', 5_000);
    expect(returns).toBe(1);
    expect(await link.run(COUNT, [key], [1])).toBeGreaterThanOrEqual(1);
  });

  test('fails at once while Redis is gone, and is whole soon after its return', async () => {
    const server = await ownRedis();
    const link = await linkTo(server.url);
    const key = link.key('t', 'count');
    expect(await link.run(COUNT, [key], [1])).toBe(1);
    await server.end();
    await until(() => link.status().state === 'failed', 5_000);
    await expect(link.run(COUNT, [key], [1])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await sleep(1_000);
    await server.begin();
    await until(() => link.status().state === 'ok', 5_000);
    expect(await link.run(COUNT, [key], [1])).toBe(2);
  });

  test('is closed for good', async () => {
    const link = await linkTo((await ownRedis()).url);
    await link.close();
    await expect(link.run(COUNT, [link.key('t', 'count')], [1])).rejects.toMatchObject({ code: 'CLOSED' });
  });
});
