import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { LruMap } from '../lru-map.js';
import { Rounds } from '../rounds.js';
import { mixedBits, textBits } from '../text-hash.js';
import { isObject } from '../wire/json-object.js';
import type { MessageBus } from './message-bus.js';
import type { Replica, ReplicaStore } from './replica-store.js';
import type { Shares } from './shares.js';

export const BEAT_EVERY_MS = 2_000;
/** Who has not beaten for so long, by the clock of the store, lives no more. */
export const BEAT_TTL_MS = 6_000;
const TOPIC = 'replicas';
/** Of how many keys the place of this replica is remembered. */
const KEYS = 20_000;

/** What replicas tell each other, so that nobody waits for the next beat. */
type Notice = { readonly joined: Replica } | { readonly left: string };

export interface MembershipParts {
  readonly store: ReplicaStore;
  readonly bus: MessageBus;
  readonly team: string;
  readonly replicaId: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/**
 * Which replicas live, and which part of the work is this one's: by rendezvous hashing, so that one that comes or goes
 * moves nothing but what goes to it, or was with it. While the store cannot be asked, the last view holds.
 */
export class Membership implements Shares {
  readonly #parts: MembershipParts;
  readonly #self: Replica;
  readonly #ownBits: number;
  readonly #rounds: Rounds;
  readonly #listeners = new Set<() => void>();
  #stopListening: () => void = () => {};
  #living: readonly Replica[] = [];
  /** Of the others. */
  #seeds: readonly { readonly bits: number; readonly isFirst: boolean }[] = [];
  /** By key: how many others are before this replica. */
  #places = new LruMap<string, number>(KEYS);
  /** Since when every beat has been answered, monotonic; undefined while they are not. */
  #answeredSince: number | undefined = Number.NEGATIVE_INFINITY;

  constructor(parts: MembershipParts) {
    const { replicaId, clock } = parts;
    this.#parts = parts;
    this.#ownBits = textBits(replicaId);
    this.#self = { replicaId, startedAtMs: clock.now() };
    this.#rounds = new Rounds(() => this.#round(), BEAT_EVERY_MS, clock);
  }

  /** By their ids. Empty before the start. */
  get living(): readonly Replica[] {
    return this.#living;
  }

  /** Whether the last beat was answered. */
  get isAnswered(): boolean {
    return this.#answeredSince !== undefined;
  }

  isLiving(replicaId: string): boolean {
    return this.#living.some((each) => each.replicaId === replicaId);
  }

  /** This replica is one of them from now on, and takes its part. @throws ReachError STORE_UNAVAILABLE */
  async start(): Promise<void> {
    const { bus, team } = this.#parts;
    this.#stopListening = bus.listen(team, TOPIC, (message) => this.#hear(message));
    await this.#beat();
    this.#tell({ joined: this.#self });
    this.#rounds.beginLater();
  }

  owns(key: string): boolean {
    const alone = this.#living.length === 1;
    return this.isLiving(this.#self.replicaId) && (alone || this.#placeOf(key) === 0);
  }

  shareOf(total: number, key: string): number {
    const parts = Math.max(1, this.#living.length);
    const rest = total % parts;
    const whole = (total - rest) / parts;
    return Math.max(1, rest > 0 && this.#placeOf(key) < rest ? whole + 1 : whole);
  }

  rateOf(total: number, key: string): number {
    const parts = Math.max(1, this.#living.length);
    return parts > 1 && total >= parts ? this.shareOf(Math.floor(total), key) : total / parts;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** It goes, and the others are told: they do not wait for its beats. */
  async close(): Promise<void> {
    await this.#rounds.close();
    this.#stopListening();
    if (this.#living.length === 0) return;
    const { store, team, replicaId, report } = this.#parts;
    try {
      await store.leave(team, replicaId);
    } catch (thrown) {
      report(`The other replicas are not told that this one goes: ${asReachError(thrown).message}`);
    }
    this.#tell({ left: replicaId });
  }

  #tell(notice: Notice): void {
    this.#parts.bus.send(this.#parts.team, TOPIC, notice);
  }

  #hear(message: unknown): void {
    const notice = noticeOf(message);
    if (notice === undefined) return;
    if ('left' in notice) {
      if (notice.left === this.#self.replicaId) return;
      this.#become(this.#living.filter(({ replicaId }) => replicaId !== notice.left));
    } else {
      this.#become(withAlso(this.#living, [notice.joined]));
    }
  }

  async #round(): Promise<void> {
    try {
      await this.#beat();
    } catch {
      // The store says by itself that it cannot be asked.
      this.#answeredSince = undefined;
    }
  }

  async #beat(): Promise<void> {
    const { store, team, clock } = this.#parts;
    const living = await store.beat(team, this.#self, BEAT_TTL_MS);
    const now = clock.monotonic();
    this.#answeredSince ??= now;
    // While the store was away nobody could beat: who lives is known only when all have had time to.
    const isKnown = now - this.#answeredSince >= BEAT_TTL_MS;
    this.#become(isKnown ? living : withAlso(living, this.#living));
  }

  #become(living: readonly Replica[]): void {
    const sorted = [...living].sort((a, b) => (a.replicaId < b.replicaId ? -1 : 1));
    const isSame =
      sorted.length === this.#living.length &&
      sorted.every(({ replicaId }, place) => replicaId === this.#living[place]?.replicaId);
    if (isSame) return;
    this.#living = sorted;
    const own = this.#self.replicaId;
    this.#seeds = sorted
      .filter(({ replicaId }) => replicaId !== own)
      .map(({ replicaId }) => ({ bits: textBits(replicaId), isFirst: replicaId < own }));
    this.#places = new LruMap(KEYS);
    for (const listener of this.#listeners) listener();
  }

  /** How many of the others come before this replica for a key: those with a larger hash of both. */
  #placeOf(key: string): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const keyBits = textBits(key);
    const mine = mixedBits(keyBits ^ this.#ownBits);
    let place = 0;
    for (const { bits, isFirst } of this.#seeds) {
      const theirs = mixedBits(keyBits ^ bits);
      if (theirs > mine || (theirs === mine && isFirst)) place += 1;
    }
    this.#places.set(key, place);
    return place;
  }
}

/** Those of both, each once. */
function withAlso(some: readonly Replica[], others: readonly Replica[]): Replica[] {
  return [...new Map([...others, ...some].map((replica) => [replica.replicaId, replica])).values()];
}

/** Undefined where a message says neither. */
function noticeOf(message: unknown): Notice | undefined {
  if (!isObject(message)) return undefined;
  const { left, joined } = message;
  if (typeof left === 'string') return { left };
  if (!isObject(joined)) return undefined;
  const { replicaId, startedAtMs } = joined;
  if (typeof replicaId !== 'string' || typeof startedAtMs !== 'number') return undefined;
  return { joined: { replicaId, startedAtMs } };
}
