import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, onTestFinished, test } from 'vitest';
import { RedisMessageBus } from '../../../src/storage/redis/message-bus.js';
import type { RedisLink } from '../../../src/storage/redis/redis-link.js';
import { RedisReplicaStore } from '../../../src/storage/redis/replica-store.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  freshRedisUrl,
  openRedisLink,
  ownRedis,
} from '../../support/redis.js';
import { until } from '../../support/until.js';

async function linkTo(url: string): Promise<RedisLink> {
  const link = await openRedisLink(url);
  onTestFinished(() => link.close());
  return link;
}

/** A bus with what it hears on the topic `news`. */
class Station {
  readonly heard: unknown[] = [];
  readonly reports: string[] = [];
  gaps = 0;
  readonly link: RedisLink;
  readonly bus: RedisMessageBus;

  constructor(link: RedisLink, replicaId: string) {
    this.link = link;
    this.bus = new RedisMessageBus(link, replicaId, (message) => this.reports.push(message));
    this.bus.listen('t', 'news', (message, from) => this.heard.push([from, message]));
    this.bus.onGap(() => {
      this.gaps += 1;
    });
  }

  say(...messages: readonly unknown[]): void {
    for (const message of messages) this.bus.send('t', 'news', message);
  }
}

/** As many stations on one Redis, under one prefix. All listen. */
async function stations(url: string, ...replicaIds: readonly string[]): Promise<Station[]> {
  const opened: Station[] = [];
  for (const replicaId of replicaIds) {
    const station = new Station(await linkTo(url), replicaId);
    onTestFinished(() => station.bus.close());
    opened.push(station);
  }
  const link = opened[0]?.link as RedisLink;
  await until(async () => {
    const answer = await link.ask((client) => client.call('PUBSUB', 'NUMSUB', link.key('t', 'bus', 'news')));
    return (answer as readonly unknown[])[1] === replicaIds.length;
  });
  return opened;
}

describeWithRedis('the bus', () => {
  test('tells all others, in order, and not oneself', async () => {
    const [a, b, c] = (await stations(freshRedisUrl(), 'a', 'b', 'c')) as [Station, Station, Station];
    const many = Array.from({ length: 2_000 }, (_, index) => ({ index, text: '周报 "x"' }));
    a.say(...many);
    await until(() => b.heard.length === many.length && c.heard.length === many.length);
    expect(b.heard).toEqual(many.map((message) => ['a', message]));
    expect(c.heard).toEqual(b.heard);
    expect([a.heard, a.gaps, b.gaps, c.gaps]).toEqual([[], 0, 0, 0]);
  });

  test('gathers what is said at about the same time', async () => {
    const [a, b] = (await stations(freshRedisUrl(), 'a', 'b')) as [Station, Station];
    const published: string[] = [];
    const { ask } = a.link;
    a.link.ask = (work, keys) => {
      published.push(String(work));
      return ask.call(a.link, work, keys) as ReturnType<typeof work>;
    };
    for (let count = 0; count < 100; count++) a.say(count);
    await until(() => b.heard.length === 100);
    expect(published).toHaveLength(1);
  });

  test('is of one topic, one team and one prefix', async () => {
    const [a, b] = (await stations(freshRedisUrl(), 'a', 'b')) as [Station, Station];
    const [other] = (await stations(freshRedisUrl(), 'c')) as [Station];
    const topics: unknown[] = [];
    b.bus.listen('t', 'other', (message) => topics.push(message));
    a.bus.send('u', 'news', 'to another team');
    a.bus.send('t', 'news', 'news');
    await until(() => {
      a.bus.send('t', 'other', 'other');
      return topics.length > 0;
    });
    expect([b.heard, new Set(topics), other.heard]).toEqual([[['a', 'news']], new Set(['other']), []]);
  });

  test('passes over what is no message, and says so once', async () => {
    const [a, b] = (await stations(freshRedisUrl(), 'a', 'b')) as [Station, Station];
    const channel = a.link.key('t', 'bus', 'news');
    for (const text of ['{', '[]', '{"from":1}', 'null'])
      await a.link.ask((client) => client.publish(channel, text));
    const circular: Record<string, unknown> = {};
    circular.itself = circular;
    a.say(circular, 1n, 'well');
    await until(() => b.heard.length > 0);
    expect(b.heard).toEqual([['a', 'well']]);
    expect(b.reports).toEqual([expect.stringContaining('Another program')]);
    expect(a.reports).toHaveLength(1);
  });

  test('drops what is too much at once, and tells the others that there is a gap', async () => {
    const [a, b] = (await stations(freshRedisUrl(), 'a', 'b')) as [Station, Station];
    a.say('first');
    await until(() => b.heard.length === 1);
    const large = 'x'.repeat(1_000_000);
    for (let count = 0; count < 40; count++) a.say(large);
    a.say('last');
    await until(() => b.gaps > 0);
    expect(b.heard.length).toBeLessThan(20);
    a.say('and on');
    await until(() => b.heard.some((each) => (each as unknown[])[1] === 'and on'));
  });

  test('is silent where nobody listens any more, and sends what was gathered when it closes', async () => {
    const [a, b] = (await stations(freshRedisUrl(), 'a', 'b')) as [Station, Station];
    const more: unknown[] = [];
    const stop = b.bus.listen('t', 'news', (message) => more.push(message));
    stop();
    a.say('farewell');
    await a.bus.close();
    await until(() => b.heard.length === 1);
    expect(more).toEqual([]);
  });
});

describeWithRedisServer('the bus over a Redis that goes and returns', () => {
  test('tells of a gap after its end, and goes on', async () => {
    const server = await ownRedis();
    const [a, b] = (await stations(server.url, 'a', 'b')) as [Station, Station];
    await server.end();
    await until(() => a.link.status().state === 'failed');
    a.say('lost');
    await sleep(100);
    await server.begin();
    await until(() => a.gaps > 0 && b.gaps > 0, 5_000);
    a.say('heard');
    await until(() => b.heard.length > 0);
    expect(b.heard).toEqual([['a', 'heard']]);
  });

  test('tells of a gap after a pause, in which what was said is lost', async () => {
    const server = await ownRedis();
    const [a, b] = (await stations(server.url, 'a', 'b')) as [Station, Station];
    server.pause();
    a.say('at first');
    await until(() => a.link.status().state === 'failed', 10_000);
    for (let count = 0; count < 100; count++) a.say(count);
    await sleep(100);
    server.resume();
    await until(() => a.gaps > 0, 5_000);
    a.say('afterwards');
    await until(() => b.heard.some((each) => (each as unknown[])[1] === 'afterwards'));
    await until(() => b.gaps > 0);
  });

  test('hears again after its connection was cut', async () => {
    const server = await ownRedis();
    const [a, b] = (await stations(server.url, 'a', 'b')) as [Station, Station];
    await a.link.ask((client) => client.call('CLIENT', 'KILL', 'TYPE', 'pubsub'));
    await until(() => a.gaps > 0 && b.gaps > 0, 5_000);
    a.say('heard');
    await until(() => b.heard.length > 0);
  });
});

describeWithRedisServer('the bus over a connection that dies without a word', () => {
  test('hears again after a while, and tells of a gap', async () => {
    const { port } = await ownRedis();
    const relays: Socket[] = [];
    const proxy = createServer((socket) => {
      const relay = connect(port, '127.0.0.1');
      relays.push(relay);
      for (const [from, to] of [
        [socket, relay],
        [relay, socket],
      ] as const) {
        from.on('data', (data) => to.write(data));
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    onTestFinished(() => void proxy.close());
    const { port: proxyPort } = proxy.address() as AddressInfo;
    const [a] = (await stations(`redis://127.0.0.1:${proxyPort}`, 'a')) as [Station];
    const other = new RedisMessageBus(a.link, 'b', () => {});
    onTestFinished(() => other.close());
    // The first is the link's own, the second the one that listens.
    relays[1]?.removeAllListeners('data').pause();
    other.send('t', 'news', 'unheard');
    await until(() => {
      a.say('anybody there?');
      return a.gaps > 0;
    }, 15_000);
    expect(a.heard).toEqual([]);
    other.send('t', 'news', 'heard');
    await until(() => a.heard.length > 0);
  });
});

describeWithRedisServer('in a cluster', () => {
  test('replicas know of each other, and hear each other', async () => {
    const server = await ownRedis('--cluster-enabled', 'yes', '--cluster-announce-ip', '127.0.0.1');
    const node = new Redis(server.port);
    onTestFinished(() => node.disconnect());
    await node.call('CLUSTER', 'ADDSLOTSRANGE', '0', '16383');
    await until(async () => String(await node.call('CLUSTER', 'INFO')).includes('state:ok'));
    const url = server.url.replace('redis:', 'redis+cluster:');
    const [a, b] = (await stations(url, 'a', 'b')) as [Station, Station];
    a.say('news');
    await until(() => b.heard.length === 1);
    const store = new RedisReplicaStore(a.link);
    await store.beat('t', { replicaId: 'a', startedAtMs: 1 }, 60_000);
    expect(await store.beat('t', { replicaId: 'b', startedAtMs: 1 }, 60_000)).toHaveLength(2);
  });
});

describeWithRedis('the store of replicas', () => {
  const replica = (replicaId: string, startedAtMs = 1) => ({ replicaId, startedAtMs });

  test('knows all that beat, on any link, until their time is over', async () => {
    const url = freshRedisUrl();
    const [a, b] = [new RedisReplicaStore(await linkTo(url)), new RedisReplicaStore(await linkTo(url))];
    expect(await a.beat('t', replica('host/1 "a"', 1_764_547_200_123), 60_000)).toEqual([
      replica('host/1 "a"', 1_764_547_200_123),
    ]);
    await b.beat('t', replica('b'), 300);
    expect(await a.beat('t', replica('c'), 60_000)).toHaveLength(3);
    expect(await a.beat('u', replica('c'), 60_000)).toHaveLength(1);
    await until(async () => (await a.beat('t', replica('c'), 60_000)).length === 2);
    await b.leave('t', 'c');
    await b.leave('t', 'nobody');
    expect(await b.beat('t', replica('b'), 60_000)).toEqual(
      expect.arrayContaining([replica('b'), replica('host/1 "a"', 1_764_547_200_123)]),
    );
  });

  test('knows all of many that beat at once', async () => {
    const url = freshRedisUrl();
    const stores = [new RedisReplicaStore(await linkTo(url)), new RedisReplicaStore(await linkTo(url))];
    const ids = Array.from({ length: 20 }, (_, index) => `r${index}`);
    await Promise.all(ids.map((id, index) => stores[index % 2]?.beat('t', replica(id), 60_000)));
    const living = await stores[0]?.beat('t', replica('r0'), 60_000);
    expect(living?.map(({ replicaId }) => replicaId).sort()).toEqual(ids.sort());
  });

  test('leaves nothing behind', async () => {
    const link = await linkTo(freshRedisUrl());
    await new RedisReplicaStore(link).beat('t', replica('a'), 50);
    const key = link.key('t', 'replicas');
    await until(async () => (await link.ask((client) => client.exists(key))) === 0);
  });

  test('passes over what it did not write', async () => {
    const link = await linkTo(freshRedisUrl());
    await link.ask((client) => client.hset(link.key('t', 'replicas'), 'x', 'nonsense'));
    expect(await new RedisReplicaStore(link).beat('t', replica('a'), 60_000)).toEqual([replica('a')]);
  });
});
