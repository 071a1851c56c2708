import { randomUUID } from 'node:crypto';
import type { TextClaims, VectorStore } from '../../embedding/embedder.js';
import { decodeFloat32, encodeFloat32 } from '../float32-blob.js';
import { type RedisLink, redisScript } from './redis-link.js';

/** Vectors that one script reads or writes: with 1.5 KB each, 400 KB. */
const SLICE = 256;
/** How long a vector is kept that nobody reads or writes, in s: 90 days. */
const KEPT_S = 90 * 24 * 60 * 60;
/** ARGV: how long they are kept from now on, in s. */
const READ = redisScript(`
local found = redis.call('MGET', unpack(KEYS))
for i, vector in ipairs(found) do
  if vector then redis.call('EXPIRE', KEYS[i], ARGV[1]) end
end
return found`);

/** ARGV: as of READ, then the vectors. */
const WRITE = redisScript(`
for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[i + 1], 'EX', ARGV[1]) end`);

/** KEYS: claims. ARGV: who claims, for how long in ms. For each 1 where it is theirs now. */
const CLAIM = redisScript(`
local ours = {}
for i, claim in ipairs(KEYS) do
  local owner = redis.call('GET', claim)
  ours[i] = 0
  if not owner or owner == ARGV[1] then
    redis.call('SET', claim, ARGV[1], 'PX', ARGV[2])
    ours[i] = 1
  end
end
return ours`);

/** KEYS: claims. ARGV: whose they are. */
const RELEASE = redisScript(`
for _, claim in ipairs(KEYS) do
  if redis.call('GET', claim) == ARGV[1] then redis.call('DEL', claim) end
end`);

/** Vectors in a Redis. Those that no replica has read for 90 days go. */
export class RedisVectorStore implements VectorStore {
  /** All teams have the same vectors: this stands in the place of a team. */
  static readonly ofAll = 'vectors';
  readonly claims: TextClaims;
  readonly #link: RedisLink;
  /** Who claims: this run of the process. */
  readonly #owner = randomUUID();

  constructor(link: RedisLink) {
    this.#link = link;
    this.claims = {
      claim: (modelHash, textHashes, ttlMs) => this.#claim(modelHash, textHashes, ttlMs),
      release: (modelHash, textHashes) => this.#release(modelHash, textHashes),
    };
  }

  async getMany(modelHash: string, textHashes: readonly string[]): Promise<Map<string, Float32Array>> {
    const found = new Map<string, Float32Array>();
    await this.#inSlices([...new Set(textHashes)], async (slice) => {
      const keys = slice.map((textHash) => this.#key(modelHash, textHash));
      const vectors = (await this.#link.runForBytes(READ, keys, [KEPT_S])) as (Buffer | null)[];
      for (const [place, textHash] of slice.entries()) {
        const vector = vectors[place];
        if (vector) found.set(textHash, decodeFloat32(vector));
      }
    });
    return found;
  }

  async putMany(modelHash: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    await this.#inSlices([...vectors], async (slice) => {
      const keys = slice.map(([textHash]) => this.#key(modelHash, textHash));
      const bytes = slice.map(([, vector]) => Buffer.from(encodeFloat32(vector).buffer));
      await this.#link.run(WRITE, keys, [KEPT_S, ...bytes]);
    });
  }

  async #claim(modelHash: string, textHashes: readonly string[], ttlMs: number): Promise<Set<string>> {
    const ours = new Set<string>();
    await this.#inSlices(textHashes, async (slice) => {
      const keys = this.#claims(modelHash, slice);
      const answers = (await this.#link.run(CLAIM, keys, [this.#owner, ttlMs])) as number[];
      for (const [place, textHash] of slice.entries()) if (answers[place] === 1) ours.add(textHash);
    });
    return ours;
  }

  async #release(modelHash: string, textHashes: readonly string[]): Promise<void> {
    await this.#inSlices(textHashes, async (slice) => {
      await this.#link.run(RELEASE, this.#claims(modelHash, slice), [this.#owner]);
    });
  }

  /** One after the other: others have their turn at Redis, and on this thread. */
  async #inSlices<Item>(items: readonly Item[], work: (slice: readonly Item[]) => Promise<void>) {
    for (let start = 0; start < items.length; start += SLICE) await work(items.slice(start, start + SLICE));
  }

  #claims(modelHash: string, textHashes: readonly string[]): string[] {
    return textHashes.map((textHash) => `${this.#key(modelHash, textHash)}:claim`);
  }

  #key(modelHash: string, textHash: string): string {
    return this.#link.key(RedisVectorStore.ofAll, modelHash, textHash);
  }
}
