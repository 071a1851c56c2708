import { asReachError } from '../errors.js';
import type { ChangeFeed, FeedPosition, StoredChange } from './change-feed.js';
import type { InstanceName } from './instance.js';

/** Changes that came together, told apart by what they are about; each name once. */
export interface ChangesByKind {
  /** Of the last of them. */
  readonly seq: number;
  readonly agentNames: readonly string[];
  readonly instances: readonly InstanceName[];
  readonly weights: boolean;
}

interface StoreFollowerParts {
  readonly feed: ChangeFeed;
  readonly team: string;
  /** Takes over what these are now. Rejects where the store cannot be read; nothing of it is lost then. */
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

  constructor(parts: StoreFollowerParts) {
    this.#parts = parts;
  }

  /** To be called before anything is loaded: what changes meanwhile is applied afterwards. @throws ReachError STORE_UNAVAILABLE */
  async begin(): Promise<void> {
    this.#position = await this.#parts.feed.position(this.#parts.team);
  }

  /** Follows from now on. */
  follow(): void {
    const look = () =>
      void this.catchUp().catch((thrown: unknown) =>
        this.#parts.report(`Changes of other replicas cannot be read: ${asReachError(thrown).message}`),
      );
    this.#unfollow = this.#parts.feed.follow(this.#parts.team, look);
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
    this.#unfollow();
    await this.#last.catch(() => {});
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
      await apply(byKind(changes, last.seq));
      seq = last.seq;
      this.#position = { life: now.life, seq };
    }
  }

  async #reload(to: FeedPosition, why: string): Promise<void> {
    await this.#parts.reload(why);
    this.#position = to;
  }
}

function byKind(changes: readonly StoredChange[], seq: number): ChangesByKind {
  const agentNames = new Set<string>();
  const instances = new Map<string, InstanceName>();
  let weights = false;
  for (const change of changes) {
    if (change.kind === 'agent') agentNames.add(change.agentName);
    else if (change.kind === 'weights') weights = true;
    else if (change.agentName !== '') instances.set(`${change.agentName}/${change.instanceId}`, change);
  }
  return { seq, agentNames: [...agentNames], instances: [...instances.values()], weights };
}
