import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ReachError } from '../../errors.js';
import { type RedisClient, redisClient } from './redis-client.js';
import { asRedisError, isConnectionFault } from './redis-errors.js';
import { type RedisTarget, shownTarget } from './redis-target.js';

/** The first version with all commands that are used. */
const LEAST_VERSION = '6.2';
/** While Redis does not answer it is asked so often whether it does again, in ms. */
const ASKED_EVERY_MS = 200;

type Argument = string | number | Buffer;

/** A Lua script: what it reads, checks and writes happens in one step. All its keys have the hash tag of one team. */
export interface RedisScript {
  readonly lua: string;
  readonly sha: string;
}

export function redisScript(lua: string): RedisScript {
  return Object.freeze({ lua, sha: hash('sha1', lua) });
}

/**
 * Our connection to a Redis. What cannot be answered leaves as STORE_UNAVAILABLE with one sentence: at once where there
 * is no connection, or where Redis has not answered and does not yet again, so that nothing piles up behind it.
 */
export class RedisLink {
  readonly client: RedisClient;
  readonly #target: RedisTarget;
  /** What was made for those that wait; closed with this. */
  readonly #waiting = new Set<RedisClient>();
  readonly #returned: (() => void)[] = [];
  #fault: ReachError | undefined;
  #isStalled = false;
  #isClosed = false;

  private constructor(target: RedisTarget) {
    this.#target = target;
    this.client = redisClient(target, 'answers');
    this.client.on('error', (error) => this.#failed(error));
    this.client.on('close', () => this.#failed(new Error('Connection is closed.')));
    this.client.on('ready', () => this.#recovered());
  }

  /** @throws ReachError STORE_UNAVAILABLE where there is none, or none that can be used: a sentence says why */
  static async open(target: RedisTarget): Promise<RedisLink> {
    const link = new RedisLink(target);
    try {
      await link.client.connect();
      await link.#check();
      return link;
    } catch (thrown) {
      // What was refused first says more than that the connection was closed because of it.
      const fault = link.#fault ?? asRedisError(thrown, link.#place);
      await link.close();
      throw thrown instanceof ReachError ? thrown : fault;
    }
  }

  /** Ours, and nobody else's: all of a team's have one hash tag, so that a cluster keeps them in one place. */
  key(team: string, ...parts: readonly string[]): string {
    return `${this.#target.prefix}:{${team}}:${parts.join(':')}`;
  }

  /** What a library needs that makes its own keys: the same prefix and hash tag. */
  prefixOf(team: string): string {
    return `${this.#target.prefix}:{${team}}`;
  }

  /** One or more commands. @throws ReachError STORE_UNAVAILABLE, CLOSED */
  async ask<T>(work: (client: RedisClient) => Promise<T>, keys: readonly string[] = []): Promise<T> {
    if (this.#isClosed) throw new ReachError('CLOSED', 'The store is closed.');
    if (this.#isStalled && this.#fault !== undefined) throw this.#fault;
    try {
      return await work(this.client);
    } catch (thrown) {
      throw this.#told(thrown, keys);
    }
  }

  /** Runs a script. @throws ReachError STORE_UNAVAILABLE, CLOSED */
  run(script: RedisScript, keys: readonly string[], args: readonly Argument[] = []): Promise<unknown> {
    const evaluate = (client: RedisClient) => (by: string, text: string) =>
      client.call(by, text, keys.length, ...keys, ...args);
    return this.ask((client) => evaluated(script, evaluate(client)), keys);
  }

  /** As `run`, for answers that are not text. */
  runForBytes(
    script: RedisScript,
    keys: readonly string[],
    args: readonly Argument[] = [],
  ): Promise<unknown> {
    const evaluate = (client: RedisClient) => (by: string, text: string) =>
      client.callBuffer(by, text, keys.length, ...keys, ...args);
    return this.ask((client) => evaluated(script, evaluate(client)), keys);
  }

  /**
   * A connection of its own, not connected yet, for commands that wait until something happens: they have no time limit
   * and are asked again after a loss. Closed with this one.
   */
  waitingClient(): RedisClient {
    const client = redisClient(this.#target, 'waits');
    // What is wrong with it is wrong with ours too, which tells it.
    client.on('error', () => {});
    client.once('end', () => this.#waiting.delete(client));
    this.#waiting.add(client);
    return client;
  }

  /** Called each time that Redis answers again after it did not. Must not throw. */
  onReturn(listener: () => void): void {
    this.#returned.push(listener);
  }

  /** `failed` while Redis cannot be asked; `detail` is a sentence for a person. */
  status(): { readonly state: 'ok' | 'failed'; readonly detail: string } {
    return this.#fault === undefined
      ? { state: 'ok', detail: `Kept in ${this.#place}` }
      : { state: 'failed', detail: this.#fault.message };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const client of [this.client, ...this.#waiting]) client.disconnect();
  }

  get #place(): string {
    return `Redis at ${shownTarget(this.#target)}.`;
  }

  async #check(): Promise<void> {
    const server = String(await this.client.info('server'));
    const version = /^redis_version:(\S+)/m.exec(server)?.[1] ?? '0';
    if (!isAtLeast(version, LEAST_VERSION)) {
      const detail = `Redis ${version} is too old: ${LEAST_VERSION} or newer is needed. ${this.#place}`;
      throw new ReachError('STORE_UNAVAILABLE', detail);
    }
    // A write that changes nothing: whether we may, and whether this is a master that has room.
    const probe = this.key('setup', 'probe');
    await this.ask((client) => client.set(probe, '1', 'PX', 1), [probe]);
  }

  #told(thrown: unknown, keys: readonly string[]): ReachError {
    if (this.#isClosed) return new ReachError('CLOSED', 'The store is closed.', { cause: thrown });
    const error = asRedisError(thrown, this.#place, keys);
    if (isConnectionFault(thrown)) {
      this.#fault ??= error;
      if (/timed out/.test(String(thrown)) && !this.#isStalled) void this.#waitForAnswer();
    }
    return error;
  }

  /** It holds the connection and says nothing: until it does, nobody else is made to wait for it. */
  async #waitForAnswer(): Promise<void> {
    this.#isStalled = true;
    while (this.#isStalled && !this.#isClosed) {
      const answers = await this.client.ping().then(
        () => true,
        () => false,
      );
      if (answers) return this.#recovered();
      await sleep(ASKED_EVERY_MS, undefined, { ref: false });
    }
  }

  #failed(error: Error): void {
    if (!this.#isClosed) this.#fault ??= asRedisError(error, this.#place);
  }

  #recovered(): void {
    this.#isStalled = false;
    if (this.#fault === undefined) return;
    this.#fault = undefined;
    for (const listener of this.#returned) listener();
  }
}

/** By the hash of a script, and as a whole where Redis does not know it yet. */
async function evaluated(
  { sha, lua }: RedisScript,
  evaluate: (by: string, text: string) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await evaluate('EVALSHA', sha);
  } catch (thrown) {
    if (!isUnknownScript(thrown)) throw thrown;
    return await evaluate('EVAL', lua);
  }
}

function isUnknownScript(thrown: unknown): boolean {
  return thrown instanceof Error && thrown.message.startsWith('NOSCRIPT');
}

function isAtLeast(version: string, least: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor = 0, leastMinor = 0] = least.split('.').map(Number);
  return major > leastMajor || (major === leastMajor && minor >= leastMinor);
}
