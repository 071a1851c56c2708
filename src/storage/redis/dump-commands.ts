import { Cluster } from 'ioredis';
import type { RedisLink } from './redis-link.js';

/** Fields, or keys, that are read in one step. */
const PAGE = 200;

/** One command of many that are sent before the first is answered. */
export type RedisCommand = readonly [name: string, key: string, ...args: (string | number)[]];

/** Carries commands out. Nobody else uses the store meanwhile, so that they need not be one step. */
export async function sendAll(link: RedisLink, commands: readonly RedisCommand[]): Promise<void> {
  await link.ask((client) =>
    Promise.all(commands.map(([name, key, ...args]) => client.call(name, key, ...args.map(String)))),
  );
}

/** The fields of a hash and their values, page by page. */
export async function* fieldsOf(
  link: RedisLink,
  key: string,
): AsyncGenerator<[field: string, value: string]> {
  let cursor = '0';
  do {
    const [next, found] = await link.ask((client) => client.hscan(key, cursor, 'COUNT', PAGE), [key]);
    for (let place = 0; place < found.length; place += 2) yield [found[place] ?? '', found[place + 1] ?? ''];
    cursor = next;
  } while (cursor !== '0');
}

/** What stands behind a beginning in the keys of a store, page by page. */
export async function* keysBehind(link: RedisLink, beginning: string): AsyncGenerator<string> {
  const pattern = `${beginning.replace(/[\\*?[\]]/g, '\\$&')}*`;
  const nodes = link.client instanceof Cluster ? link.client.nodes('master') : [link.client];
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await link.ask(() => node.scan(cursor, 'MATCH', pattern, 'COUNT', PAGE));
      for (const key of keys) yield key.slice(beginning.length);
      cursor = next;
    } while (cursor !== '0');
  }
}
