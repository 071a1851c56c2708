import { asReachError, type ReachError } from '../errors.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from './catalogue.js';

/** The catalogue as it serves, and who is kept in step with it. */
export class LiveCatalogue {
  readonly #followers: CatalogueFollower[] = [];
  #snapshot: CatalogueSnapshot = Object.freeze({ version: 0, agents: new Map() });

  get snapshot(): CatalogueSnapshot {
    return this.#snapshot;
  }

  follow(follower: CatalogueFollower): void {
    this.#followers.push(follower);
  }

  /** Everybody is ready for these when it resolves. @throws whatever a follower throws */
  async prepare(agents: readonly Agent[]): Promise<void> {
    if (agents.length === 0) return;
    await Promise.all(this.#followers.map((follower) => follower.prepare(agents)));
  }

  /** Why somebody cannot be ready for these; undefined: everybody is. */
  async faultOf(agents: readonly Agent[]): Promise<ReachError | undefined> {
    try {
      await this.prepare(agents);
      return undefined;
    } catch (thrown) {
      return asReachError(thrown);
    }
  }

  /**
   * Exchanges the catalogue for one of these agents, in one step for everybody: an object that serves already stays
   * untouched, the others have been prepared.
   */
  become(version: number, agents: ReadonlyMap<string, Agent>): void {
    const before = this.#snapshot.agents;
    const gone = [...before].filter(([name]) => !agents.has(name));
    const fresh = [...agents].filter(([name, agent]) => before.get(name) !== agent);
    const changes: readonly CatalogueChange[] = [
      ...gone.map(([, agent]) => ({ kind: 'removed', agent }) as const),
      ...fresh.map(([name, agent]) => ({ kind: 'published', agent, before: before.get(name) }) as const),
    ];
    const snapshot = Object.freeze({ version, agents });
    this.#snapshot = snapshot;
    for (const follower of this.#followers) follower.apply(snapshot, changes);
  }
}
