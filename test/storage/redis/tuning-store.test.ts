import { describe, expect, test } from 'vitest';
import { ReachError } from '../../../src/errors.js';
import type { RedisLink } from '../../../src/storage/redis/redis-link.js';
import { RedisTuningStore, VERSIONS_IN_REDIS } from '../../../src/storage/redis/tuning-store.js';
import { newTuning } from '../../../src/tuning/tuning-version.js';
import { WeightsInForce } from '../../../src/tuning/weights-in-force.js';
import { HandClock } from '../../support/hand-clock.js';
import { describeWithRedis, openRedisLink, replicaLink, replicaLinks } from '../../support/redis.js';
import { weightsNamed } from '../../support/weights.js';
import { tuningStoreContract } from '../tuning-store.contract.js';

const configured = weightsNamed('configured');

async function inForceOver(count: number) {
  const links = await replicaLinks(count);
  const opened = links.map((link) =>
    WeightsInForce.open({ store: new RedisTuningStore(link), team: 't', configured, clock: new HandClock() }),
  );
  return { links, replicas: await Promise.all(opened) };
}

const codeOf = (call: Promise<{ current: { number: number } }>) =>
  call.then(
    ({ current }) => current.number,
    (thrown) => (thrown instanceof ReachError ? thrown.code : thrown),
  );

/** The kinds of what every replica has to follow, each under its number. */
async function toldIn(link: RedisLink): Promise<unknown[]> {
  const entries = await link.ask((client) => client.xrange(link.key('t', 'feed'), '-', '+'));
  return entries.map(([seq, fields]) => [seq, fields[1]]);
}

describeWithRedis('in a Redis', () => {
  tuningStoreContract('Redis', VERSIONS_IN_REDIS, async () => {
    const link = await openRedisLink();
    return { store: new RedisTuningStore(link), close: () => link.close() };
  });

  describe('weights of several replicas', () => {
    test('tell each change, and nothing that was refused', async () => {
      const link = await replicaLink();
      const store = new RedisTuningStore(link);
      await store.append('t', newTuning(weightsNamed('tuned-1'), null, 1), 0);
      await store.append('t', newTuning(weightsNamed('tuned-2'), null, 1), 0);
      await store.setShadow('t', { weights: weightsNamed('tuned-2'), sinceMs: 1 });
      await store.rollBack('t', 7, 1);
      await store.rollBack('t', 1, 1);
      await store.setShadow('t', null);
      expect(await toldIn(link)).toEqual([1, 2, 3, 4].map((seq) => [`${seq}-0`, 'weights']));
    });

    test('are applied by one of all who do so at once, and taken over by the others', async () => {
      const { replicas } = await inForceOver(3);
      for (let round = 1; round <= 10; round += 1) {
        const applied = replicas.map((replica, place) =>
          codeOf(replica.apply(weightsNamed(`tuned-${round}-${place}`), {})),
        );
        const ends = await Promise.all(applied);
        expect(ends.filter((end) => end === round)).toHaveLength(1);
        expect(ends.filter((end) => end === 'TUNING_CONFLICT')).toHaveLength(2);
        await Promise.all(replicas.map((replica) => replica.reload()));
        const winner = `tuned-${round}-${ends.indexOf(round)}`;
        expect(replicas.map(({ current }) => current.version)).toEqual([winner, winner, winner]);
      }
    });

    test('are taken back and put into the shadow for all', async () => {
      const { replicas } = await inForceOver(2);
      const [one, other] = replicas as [WeightsInForce, WeightsInForce];
      await one.apply(weightsNamed('tuned-1'), {});
      await one.setShadow(weightsNamed('tuned-2'));
      await other.reload();
      expect([other.current.version, other.shadow?.version]).toEqual(['tuned-1', 'tuned-2']);
      await other.rollBack({});
      await other.setShadow(null);
      await one.reload();
      expect([one.current, one.shadow]).toEqual([configured, undefined]);
    });

    test('are those of the configuration again where the store has come back empty', async () => {
      const { links, replicas } = await inForceOver(2);
      const [one, other] = replicas as [WeightsInForce, WeightsInForce];
      await one.apply(weightsNamed('tuned-1'), {});
      await other.reload();
      const keys = ['versions', 'weights'].map((part) => links[0]?.key('t', 'tuning', part) ?? '');
      await links[0]?.ask((client) => client.del(...keys));
      await one.reload();
      await one.apply(weightsNamed('tuned-2'), {});
      await other.reload();
      expect([one.current.version, other.current.version]).toEqual(['tuned-2', 'tuned-2']);
    });
  });
});
