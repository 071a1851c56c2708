import { Cluster, type ClusterOptions, Redis } from 'ioredis';
import type { RedisTarget } from './redis-target.js';

/** A connection, or as many as a cluster takes. */
export type RedisClient = Redis | Cluster;

/** How long one command may take, in ms: what is not answered by then is told as such, and may have been done. */
const COMMAND_TIMEOUT_MS = 2_000;
const CONNECT_TIMEOUT_MS = 2_000;
const LONGEST_WAIT_MS = 1_000;

/** Until the next attempt to connect, in ms: soon at first, and never so late that its return goes unseen for long. */
const waitBefore = (attempt: number) => Math.min(50 * 2 ** Math.min(attempt - 1, 10), LONGEST_WAIT_MS);

/** For commands that wait for something to happen. */
const WAITS = { maxRetriesPerRequest: null, enableOfflineQueue: true };
/** For commands that somebody waits for: they fail at once where there is no connection, and are sent once. */
const ANSWERS = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: COMMAND_TIMEOUT_MS,
};

/** Makes a client that is not connected yet; it connects again for ever, once it was, until it is disconnected. */
export function redisClient(target: RedisTarget, purpose: 'answers' | 'waits'): RedisClient {
  const { kind, hosts, tls, username, password, database: db, master } = target;
  const shared = {
    replyMapping: 'legacy' as const,
    ...(purpose === 'waits' ? WAITS : ANSWERS),
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    connectTimeout: CONNECT_TIMEOUT_MS,
    connectionName: 'agent-reach',
    lazyConnect: true,
    retryStrategy: waitBefore,
    // A master that became a replica: its successor is found by connecting again.
    reconnectOnError: ({ message }: Error) => message.startsWith('READONLY'),
  };
  if (kind === 'cluster') {
    const {
      maxRetriesPerRequest: _,
      retryStrategy: __,
      lazyConnect: ___,
      enableOfflineQueue,
      ...redisOptions
    } = shared;
    const options: ClusterOptions & { redisOptions: typeof redisOptions } = {
      redisOptions,
      clusterRetryStrategy: waitBefore,
      enableOfflineQueue: enableOfflineQueue ?? true,
      lazyConnect: true,
      // A cluster's nodes have certificates for their names, not for the addresses that it tells.
      ...(tls && {
        dnsLookup: (address: string, told: (error: null, address: string) => void) => told(null, address),
      }),
    };
    return new Cluster([...hosts], options);
  }
  if (kind === 'sentinel') {
    const sentinels = [...hosts];
    return new Redis({ ...shared, db, sentinels, name: master ?? '', sentinelRetryStrategy: waitBefore });
  }
  const [server] = hosts;
  return new Redis({ ...shared, db, host: server?.host ?? '', port: server?.port ?? 0 });
}
