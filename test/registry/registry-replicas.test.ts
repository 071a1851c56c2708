import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.js';
import { ReachError } from '../../src/errors.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { Registry } from '../../src/registry/registry.js';
import { StoreFollower } from '../../src/registry/store-follower.js';
import { RedisCatalogueStore } from '../../src/storage/redis/catalogue-store.js';
import { RedisChangeFeed } from '../../src/storage/redis/change-feed.js';
import { RedisInstanceStore } from '../../src/storage/redis/instance-store.js';
import type { RedisLink } from '../../src/storage/redis/redis-link.js';
import {
  describeWithRedis,
  describeWithRedisServer,
  freshRedisUrl,
  ownRedis,
  replicaLink,
  replicaLinks,
} from '../support/redis.js';
import { until } from '../support/until.js';
import { manifestOf, RecordingFollower, RULES } from './registry-fixture.js';

const TEAM = 'default';

/** A registry in step with the store behind a link, put together as a replica does it. */
async function openReplica(link: RedisLink) {
  const reports: string[] = [];
  const reloads: string[] = [];
  const report = (message: string) => void reports.push(message);
  const follower = new StoreFollower({
    feed: new RedisChangeFeed(link),
    team: TEAM,
    clock: systemClock,
    async apply({ agents, seq }) {
      if (agents.size > 0) await registry.takeOver(agents, seq);
    },
    async reload(why) {
      reloads.push(why);
      await registry.reload();
    },
    report,
  });
  const registry: Registry = new Registry({
    store: new RedisCatalogueStore(link),
    team: TEAM,
    rules: RULES,
    report,
    catchUp: () => follower.catchUp(),
  });
  const recording = new RecordingFollower();
  registry.follow(recording);
  await follower.begin();
  await registry.load();
  await follower.catchUp();
  onTestFinished(() => follower.close());
  return { registry, recording, reports, reloads, link, follow: () => follower.follow() };
}

type Replica = Awaited<ReturnType<typeof openReplica>>;

async function openReplicas(
  count: number,
  url = freshRedisUrl(),
): Promise<readonly [Replica, Replica, ...Replica[]]> {
  const replicas = await Promise.all((await replicaLinks(count, url)).map(openReplica));
  for (const { follow } of replicas) follow();
  const [one, other, ...rest] = replicas;
  if (one === undefined || other === undefined) throw new Error('at least two are opened');
  return [one, other, ...rest];
}

/** What a replica serves, whatever the order in which it came. */
function served({ registry }: Replica) {
  const { version, agents } = registry.snapshot;
  const documents = Array.from(agents.values(), ({ manifest, document, source }) => ({
    ...{ name: manifest.agentName, version: manifest.manifestVersion, source, document },
  }));
  return { version, agents: documents.sort((a, b) => (a.name < b.name ? -1 : 1)) };
}

describeWithRedis('registries over one Redis', () => {
  test('each serves what any of them has published, edited or removed, soon after', async () => {
    const [one, other, third] = await openReplicas(3);
    const { catalogueVersion, agent } = await one.registry.publish(manifestOf('a', 1), 'api');
    expect(one.registry.snapshot.version).toBeGreaterThanOrEqual(catalogueVersion);
    // What was prepared for the publish is what serves: nothing is embedded twice.
    expect(one.registry.agent('a')).toBe(agent);
    expect(one.recording.prepared).toEqual([[agent]]);
    await until(() => other.registry.snapshot.agents.has('a') && third?.registry.snapshot.agents.has('a'));
    await other.registry.publish(manifestOf('a', 2, 'Monthly'), 'api');
    await until(() => one.registry.agent('a').manifest.manifestVersion === 2);
    const version = await one.registry.remove('a', 'api');
    await until(() => [one, other].every(({ registry }) => registry.snapshot.agents.size === 0));
    await until(() => served(other).version === version);
    expect(other.recording.applied.at(-1)?.changes).toMatchObject([{ kind: 'removed' }]);
    expect([...one.reports, ...other.reports]).toEqual([]);
  });

  test('a caller that goes from one to another is only refused where it is right', async () => {
    const [one, other] = await openReplicas(2);
    await one.registry.publish(manifestOf('a', 1), 'api');
    // It need not know of the first yet: it catches up, and plans again.
    const published = await other.registry.publish(manifestOf('a', 2, 'Monthly'), 'api');
    expect(published.agent.manifest.manifestVersion).toBe(2);
    const again = await one.registry.publish(manifestOf('a', 2, 'Monthly'), 'api');
    expect(again.agent.manifest.manifestVersion).toBe(2);
    await expect(one.registry.publish(manifestOf('a', 2, 'Yearly'), 'api')).rejects.toMatchObject({
      code: 'MANIFEST_VERSION_STALE',
    });
    await one.registry.remove('a', 'api');
    await expect(other.registry.remove('a', 'api')).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' });
  });

  test('the same file in a folder that all of them watch is one version', async () => {
    const replicas = await openReplicas(3);
    const outcomes = await Promise.all(
      replicas.map(({ registry }) => registry.publish(manifestOf('a', undefined), 'folder')),
    );
    expect(outcomes.map(({ agent }) => agent.manifest.manifestVersion)).toEqual([1, 1, 1]);
    expect((await replicas[0].registry.history('a', 10)).map((each) => each.manifestVersion)).toEqual([1]);
  });

  test('200 publishes of 20 agents that race on three end equal everywhere, each number given once', async () => {
    const url = freshRedisUrl();
    const replicas = await openReplicas(3, url);
    const random = seededRandom(5);
    const numbers: number[] = [];
    const publish = async (place: number) => {
      const replica = replicas[place % replicas.length] ?? replicas[0];
      const name = `agent-${Math.floor(20 * random())}`;
      const next = Math.ceil(10 * random());
      const document = manifestOf(name, next, `Content ${place}`);
      const published = await replica.registry.publish(document, 'api').catch((thrown: unknown) => {
        expect(thrown).toMatchObject({ code: 'MANIFEST_VERSION_STALE' });
      });
      if (published === undefined) return;
      numbers.push(published.catalogueVersion);
      expect(replica.registry.snapshot.version).toBeGreaterThanOrEqual(published.catalogueVersion);
    };
    await Promise.all(Array.from({ length: 200 }, (_, place) => publish(place)));
    expect(new Set(numbers).size).toBe(numbers.length);
    expect(numbers.length).toBeGreaterThan(20);
    await until(() =>
      expect(replicas.map((each) => served(each).version)).toEqual(replicas.map(() => Math.max(...numbers))),
    );
    const [first, ...others] = replicas.map(served);
    for (const another of others) expect(another).toEqual(first);
    const joiner = await openReplica(await replicaLink(url));
    expect(served(joiner)).toEqual(first);
    for (const { recording } of replicas) {
      const versions = recording.applied.map(({ snapshot }) => snapshot.version);
      expect(versions).toEqual(versions.toSorted((a, b) => a - b));
    }
  });

  test('where changes are not kept any more, all is loaded again, and what is gone goes', async () => {
    const url = freshRedisUrl();
    const [one] = await openReplicas(2, url);
    for (const name of ['a', 'b']) await one.registry.publish(manifestOf(name, 1), 'api');
    const late = await openReplica(await replicaLink(url));
    const kept = late.registry.agent('b');
    await one.registry.remove('a', 'api');
    await one.registry.publish(manifestOf('c', 1), 'api');
    await one.link.ask((client) => client.xtrim(one.link.key(TEAM, 'feed'), 'MAXLEN', 0));
    late.follow();
    await until(() => expect(served(late)).toEqual(served(one)));
    expect(late.reloads).toHaveLength(1);
    expect(late.registry.agent('b')).toBe(kept);
  });

  test('has the version of its last change, whatever else was changed with it, and goes back to none', async () => {
    const url = freshRedisUrl();
    const [one, other] = await openReplicas(2, url);
    const late = await openReplica(await replicaLink(url));
    const { catalogueVersion } = await one.registry.publish(manifestOf('a', 1), 'api');
    await new RedisInstanceStore(one.link).remove(TEAM, []);
    late.follow();
    await until(() => late.registry.snapshot.agents.has('a'));
    expect([one, late].map((each) => served(each).version)).toEqual([catalogueVersion, catalogueVersion]);
    await one.registry.publish(manifestOf('a', 2, 'Monthly'), 'api');
    await until(() => other.registry.agent('a').manifest.manifestVersion === 2);
    await other.registry.takeOver(new Map([['a', 1]]), catalogueVersion);
    expect(other.registry.agent('a').manifest.manifestVersion).toBe(2);
  });

  test('a fault that passes is tried again', async () => {
    const [one, other] = await openReplicas(2);
    let tries = 0;
    other.recording.onPrepare = async () => {
      tries += 1;
      if (tries < 3) throw new ReachError('EMBEDDING_INTERRUPTED', 'It is started again.');
    };
    await one.registry.publish(manifestOf('a', 1), 'api');
    await until(() => other.registry.snapshot.agents.has('a'));
    expect(served(other)).toEqual(served(one));
  });

  test('a manifest that cannot be prepared here is reported, and the others serve', async () => {
    const [one, other] = await openReplicas(2);
    other.recording.onPrepare = async (agents) => {
      if (agents.some(({ manifest }) => manifest.agentName === 'odd')) throw new Error('odd');
    };
    await one.registry.publishAll(
      ['odd', 'even'].map((name) => manifestOf(name, 1)),
      'api',
    );
    await until(() => other.registry.snapshot.agents.has('even'));
    expect(other.registry.snapshot.agents.has('odd')).toBe(false);
    expect(other.reports.join()).toContain('odd');
  });
});

describeWithRedisServer('registries whose Redis goes away', () => {
  const openTwo = async (url: string) => {
    const links = await Promise.all([replicaLink(url), replicaLink(url)]);
    const [one, other] = await Promise.all(links.map(openReplica));
    if (one === undefined || other === undefined) throw new Error('two were opened');
    for (const { follow } of [one, other]) follow();
    return [one, other] as const;
  };

  describe.each(['paused', 'killed'] as const)('since it is %s', (how) => {
    test('serve what they have, refuse what has to be stored, and are in step within 5 s of its return', async () => {
      const server = await ownRedis();
      const [one, other] = await openTwo(server.url);
      await one.registry.publish(manifestOf('a', 1), 'api');
      await until(() => other.registry.snapshot.agents.has('a'));
      if (how === 'paused') server.pause();
      else await server.end('SIGKILL');
      await expect(one.registry.publish(manifestOf('b', 1), 'api')).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
      });
      expect(other.registry.agent('a').manifest.manifestVersion).toBe(1);
      if (how === 'paused') server.resume();
      else await server.begin();
      const returned = Date.now();
      await until(async () => (await one.registry.publish(manifestOf('c', 1), 'api')) !== undefined);
      await until(() => other.registry.snapshot.agents.has('c'));
      expect(Date.now() - returned).toBeLessThan(5_000);
      expect(served(other)).toEqual(served(one));
    });
  });

  test('forget what is not there any more where it came back empty', async () => {
    const server = await ownRedis();
    const [one, other] = await openTwo(server.url);
    for (const name of ['a', 'b']) await one.registry.publish(manifestOf(name, 1), 'api');
    await until(() => other.registry.snapshot.agents.size === 2);
    await one.link.ask((client) => client.flushall());
    await until(() => [one, other].every(({ registry }) => registry.snapshot.agents.size === 0));
    expect(other.reloads).toHaveLength(1);
    await other.registry.publish(manifestOf('a', 1), 'api');
    await until(() => one.registry.snapshot.agents.has('a'));
    expect(served(one)).toEqual(served(other));
  });
});
