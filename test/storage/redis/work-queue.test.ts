import { expect, onTestFinished, test, vi } from 'vitest';
import { RedisWorkQueue } from '../../../src/storage/redis/work-queue.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  freshRedisUrl,
  openRedisLink,
  ownRedis,
} from '../../support/redis.js';
import { until } from '../../support/until.js';
import { workQueueContract } from '../work-queue.contract.js';

const AT_ONCE = { P0: 1, P1: 10, P2: 1 };
const work = (index: number) => ({ requestId: `r-${index}`, lane: 'P1' as const });

async function opened(url: string) {
  const link = await openRedisLink(url);
  const reports: string[] = [];
  const queue = new RedisWorkQueue(link, (message) => reports.push(message));
  const close = async () => {
    await queue.close();
    await link.close();
  };
  onTestFinished(close);
  return { link, queue, reports, close };
}

describeWithRedis('in a Redis', () => {
  workQueueContract('Redis', async () => {
    const { queue, reports, close } = await opened(freshRedisUrl());
    return {
      store: queue,
      async close() {
        await close();
        expect(reports).toEqual([]);
      },
    };
  });

  test('hands each piece to one of several replicas, and counts for all of them', async () => {
    const url = freshRedisUrl();
    const replicas = [await opened(url), await opened(url)];
    const begun: string[] = [];
    for (let index = 0; index < 200; index += 1) await replicas[0]?.queue.add('t', work(index));
    await until(() => replicas[1]?.queue.counts('t').waiting.P1 === 200);
    for (const { queue } of replicas)
      await queue.start('t', async ({ requestId }) => void begun.push(requestId), AT_ONCE);
    await until(() => begun.length === 200);
    expect(new Set(begun).size).toBe(200);
    for (const { queue } of replicas) await until(() => queue.counts('t').running.P1 === 0);
  });

  test('hands over again what a replica has lost, once', async () => {
    const url = freshRedisUrl();
    const [lost, other] = [await opened(url), await opened(url)];
    const begun: string[] = [];
    let end = () => {};
    const held = new Promise<void>((resolve) => {
      end = resolve;
    });
    onTestFinished(() => end());
    const carryOut = async ({ requestId }: { requestId: string }) => {
      begun.push(requestId);
      await held;
    };
    await lost.queue.add('t', work(1));
    await lost.queue.start('t', carryOut, AT_ONCE);
    await until(() => begun.length === 1);
    await other.queue.start('t', carryOut, AT_ONCE);
    const left = [{ ...work(1), lostBy: 'the replica' }];
    await Promise.all([other.queue.restore('t', left), lost.queue.restore('t', left)]);
    await until(() => begun.length === 2);
    await other.queue.restore('t', left);
    await until(() => other.queue.counts('t').running.P1 === 2);
    expect(begun).toEqual(['r-1', 'r-1']);
  });
});

describeWithRedisServer('a queue whose Redis', () => {
  test('says nothing lets itself be closed, and refuses at once', async () => {
    const redis = await ownRedis();
    const { queue } = await opened(`redis://127.0.0.1:${redis.port}`);
    await queue.start('t', async () => {}, AT_ONCE);
    await queue.add('t', work(1));
    redis.pause();
    await expect(queue.add('t', work(2))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await queue.close();
  });

  test('is restarted goes on, and writes nothing to the console', async () => {
    const spies = (['log', 'info', 'warn', 'error'] as const).map((name) => vi.spyOn(console, name));
    const redis = await ownRedis('--maxmemory-policy', 'allkeys-lru');
    const { queue } = await opened(`redis://127.0.0.1:${redis.port}`);
    const begun: string[] = [];
    await queue.start('t', async ({ requestId }) => void begun.push(requestId), AT_ONCE);
    await queue.add('t', work(1));
    await until(() => begun.length === 1);
    await redis.end('SIGKILL');
    await expect(queue.add('t', work(2))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await redis.begin();
    await until(async () => {
      await queue.add('t', work(3));
      return true;
    });
    await until(() => begun.includes('r-3'));
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });
});
