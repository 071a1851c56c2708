import { RedisLink } from '../../src/storage/redis/redis-link.js';
import { openRedisStores } from '../../src/storage/redis/redis-stores.js';
import { parseRedisTarget } from '../../src/storage/redis/redis-target.js';
import { RedisServer } from '../../test/support/redis-server.js';
import type { KeptKind } from './kept-kind.js';

export interface KeptMemory {
  /** What one takes of the memory of Redis, in bytes. */
  readonly memory: number;
  /** What one has as JSON. */
  readonly json: number;
}

/** Keeps many of a kind in an empty Redis of its own, and tells what one takes. */
export async function keptMemory({ count, keep }: KeptKind): Promise<KeptMemory> {
  const server = await RedisServer.start();
  try {
    const stores = await openRedisStores(server.url, { replicaId: 'bench', report: () => {} });
    const link = await RedisLink.open(parseRedisTarget(server.url));
    // What there is once, whatever is kept.
    await keep(stores, 0);
    const before = await memoryOf(link);
    let json = 0;
    for (let index = 1; index <= count; index += 1) {
      json += Buffer.byteLength(JSON.stringify(await keep(stores, index)));
    }
    const after = await memoryOf(link);
    await link.close();
    await stores.close();
    return { memory: (after - before) / count, json: json / count };
  } finally {
    await server.remove();
  }
}

/** Of all that is kept: without what connections and the append-only file hold for a moment. */
async function memoryOf(link: RedisLink): Promise<number> {
  const info = await link.ask((client) => client.info('memory'));
  const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, 'm').exec(info)?.[1] ?? 0);
  return of('used_memory') - of('mem_clients_normal') - of('mem_aof_buffer');
}
