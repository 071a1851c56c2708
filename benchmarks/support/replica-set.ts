import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
// Of those that no outgoing connection takes while a replica is down.
import { freePort } from '../../test/support/free-port.js';
import { RedisServer } from '../../test/support/redis-server.js';
import { type ServiceProcess, startService } from './service-process.js';
import { withTemporaryFolder } from './temporary-folder.js';

/** Replicas of the built service over a Redis of their own. Each keeps its address when it is started again. */
export class ReplicaSet {
  readonly redis: RedisServer;
  readonly urls: readonly string[];
  readonly #env: Readonly<Record<string, string>>;
  readonly #running = new Map<string, ServiceProcess>();

  private constructor(redis: RedisServer, urls: readonly string[], env: Readonly<Record<string, string>>) {
    this.redis = redis;
    this.urls = urls;
    this.#env = env;
  }

  /** Starts so many over an empty Redis, and waits until they are ready. `folder`: empty, for what they keep beside it. */
  static async open(
    count: number,
    folder: string,
    env: Readonly<Record<string, string>> = {},
  ): Promise<ReplicaSet> {
    const manifests = join(folder, 'manifests');
    mkdirSync(manifests);
    const ports = await Promise.all(Array.from({ length: count }, freePort));
    const urls = ports.map((port) => `http://127.0.0.1:${port}`);
    const own = { REACH_DATA: folder, REACH_MANIFESTS: manifests, REACH_ENGLISH_MODEL: 'false', ...env };
    const replicas = new ReplicaSet(await RedisServer.start(), urls, own);
    try {
      await Promise.all(urls.map((url) => replicas.start(url)));
      return replicas;
    } catch (error) {
      await replicas.close();
      throw error;
    }
  }

  /** Starts the replica at an address, and waits until it is ready. */
  async start(url: string): Promise<ServiceProcess> {
    const own = { REACH_STORE: this.redis.url, REACH_PORT: new URL(url).port };
    const service = await startService('serve', { ...this.#env, ...own });
    this.#running.set(url, service);
    return service;
  }

  at(url: string): ServiceProcess | undefined {
    return this.#running.get(url);
  }

  /** Ends one in the middle of what it does. */
  async kill(url: string): Promise<void> {
    const service = this.#running.get(url);
    this.#running.delete(url);
    await service?.kill();
  }

  /** @throws Error where one does not end in order */
  async stop(): Promise<void> {
    const running = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(running.map((service) => service.stop()));
  }

  /** Ends all that is left, and what Redis has. */
  async close(): Promise<void> {
    await Promise.all(this.urls.map((url) => this.kill(url)));
    await this.redis.remove();
  }
}

/** So many replicas, ready; they have to end in order when the work is done. */
export async function withReplicas<Result>(
  count: number,
  env: Readonly<Record<string, string>>,
  work: (replicas: ReplicaSet) => Promise<Result>,
): Promise<Result> {
  return withTemporaryFolder(async (folder) => {
    const replicas = await ReplicaSet.open(count, folder, env);
    try {
      const result = await work(replicas);
      await replicas.stop();
      return result;
    } finally {
      await replicas.close();
    }
  });
}
