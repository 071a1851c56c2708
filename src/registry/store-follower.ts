import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { ChangeFeed, FeedPosition, StoredChange } from './change-feed.js';
import { type InstanceName, instanceKey } from './instance.js';

/** Changes that came together, told apart by what they are about; each name once. */
export interface ChangesByKind {
  /** Of the last that is about an agent: the catalogue's version after them. 0 where there is none. */
  readonly seq: number;
  /** The version of its manifest that each of these agents serves after them; undefined: none. */
  readonly agents: ReadonlyMap<string, number | undefined>;
  readonly instances: readonly InstanceName[];
  readonly weights: boolean;
}

/** Until it is looked again after a failure, in ms. */
const AGAIN_MS = 500;

interface StoreFollowerParts {
  readonly feed: ChangeFeed;
  readonly team: string;
  readonly clock: Clock;
  /** Takes over what these have become. Rejects where the store cannot be read; nothing of it is lost then. */
  readonly apply: (changes: ChangesByKind) => Promise<void>;
  /** Takes over all that there is now, and forgets what is not there: not all changes could be told. */
  readonly reload: (why: string) => Promise<void>;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/**
 * Applies what other replicas change in the store, in the order of its feed, and what this one changes with it. Where
 * changes have been missed that are not kept any more, or the store has come back empty, everything is loaded again.
 */
export class StoreFollower {
  readonly #parts: StoreFollowerParts;
  #position: FeedPosition | undefined;
  /** The end of the looks that were asked for so far. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #unfollow: () => void = () => {};
  #stopTimer: () => void = () => {};
  #isFailing = false;
  #isClosed = false;

  constructor(parts: StoreFollowerParts) {
    this.#parts = parts;
  }

  /** To be called before anything is loaded: what changes meanwhile is applied afterwards. @throws ReachError STORE_UNAVAILABLE */
  async begin(): Promise<void> {
    this.#position = await this.#parts.feed.position(this.#parts.team);
  }

  /** Follows from now on. */
  follow(): void {
    this.#unfollow = this.#parts.feed.follow(this.#parts.team, () => void this.#lookInPeace());
  }

  /**
   * Resolves when all is applied that was in the feed when this was called. Many who ask meanwhile share one look.
   * @throws ReachError STORE_UNAVAILABLE
   */
  catchUp(): Promise<void> {
    // One that is under way may have read the feed before what the caller means was written.
    if (this.#next === undefined) {
      const next = this.#last
        .catch(() => {})
        .then(() => {
          this.#next = undefined;
          return this.#look();
        });
      this.#next = next;
      this.#last = next;
    }
    return this.#next;
  }

  /** Nothing is applied any more once what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unfollow();
    this.#stopTimer();
    await this.#last.catch(() => {});
  }

  /** Until it works: what has failed once is not told by the feed again. */
  async #lookInPeace(): Promise<void> {
    this.#stopTimer();
    try {
      await this.catchUp();
      this.#isFailing = false;
    } catch (thrown) {
      if (this.#isClosed) return;
      const { clock, report } = this.#parts;
      if (!this.#isFailing) report(`Changes of others are not followed: ${asReachError(thrown).message}`);
      this.#isFailing = true;
      this.#stopTimer();
      this.#stopTimer = clock.after(AGAIN_MS, () => void this.#lookInPeace());
    }
  }

  async #look(): Promise<void> {
    const { feed, team, apply } = this.#parts;
    const known = this.#position;
    if (known === undefined) return;
    const now = await feed.position(team);
    if (now.life !== known.life || now.seq < known.seq) {
      return this.#reload(now, 'The store has come back without what it had.');
    }
    let seq = known.seq;
    while (seq < now.seq) {
      const changes = await feed.after(team, seq);
      if (changes === undefined) return this.#reload(now, 'Changes were missed that are not kept any more.');
      const last = changes.at(-1);
      if (last === undefined) return;
      await apply(byKind(changes));
      seq = last.seq;
      this.#position = { life: now.life, seq };
    }
  }

  async #reload(to: FeedPosition, why: string): Promise<void> {
    await this.#parts.reload(why);
    this.#position = to;
  }
}

function byKind(changes: readonly StoredChange[]): ChangesByKind {
  const agents = new Map<string, number | undefined>();
  const instances = new Map<string, InstanceName>();
  let weights = false;
  let seq = 0;
  for (const change of changes) {
    if (change.kind === 'agent') {
      agents.set(change.agentName, change.manifestVersion);
      seq = change.seq;
    } else if (change.kind === 'weights') weights = true;
    else if (change.agentName !== '') instances.set(instanceKey(change), change);
  }
  return { seq, agents, instances: [...instances.values()], weights };
}
