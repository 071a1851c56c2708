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

/** Of all keys, exactly: what connections and buffers hold for a moment is not among them. */
async function memoryOf(link: RedisLink): Promise<number> {
  let memory = 0;
  let cursor = '0';
  do {
    const [next, keys] = await link.ask((client) => client.scan(cursor, 'COUNT', 200));
    const sizes = keys.map((key) => link.ask((client) => client.memory('USAGE', key, 'SAMPLES', 0)));
    for (const size of await Promise.all(sizes)) memory += size ?? 0;
    cursor = next;
  } while (cursor !== '0');
  return memory;
}
