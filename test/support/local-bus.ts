import type { MessageBus } from '../../src/cluster/message-bus.js';

interface Letter {
  readonly channel: string;
  readonly from: string;
  readonly text: string;
}

type Take = (message: unknown, from: string) => void;

/** The buses of some replicas in one process. Messages lie until a test delivers them. */
export class LocalBus {
  readonly #listeners = new Set<{ readonly replicaId: string; readonly channel: string; take: Take }>();
  readonly #gapListeners = new Set<() => void>();
  #letters: Letter[] = [];

  of(replicaId: string): MessageBus {
    return {
      send: (team, topic, message) =>
        void this.#letters.push({
          channel: `${team}/${topic}`,
          from: replicaId,
          text: JSON.stringify(message),
        }),
      listen: (team, topic, take) => {
        const listener = { replicaId, channel: `${team}/${topic}`, take };
        this.#listeners.add(listener);
        return () => void this.#listeners.delete(listener);
      },
      onGap: (listener) => {
        this.#gapListeners.add(listener);
        return () => void this.#gapListeners.delete(listener);
      },
    };
  }

  /** Also what is said in answer. */
  deliver(): void {
    for (let next = this.#letters.shift(); next !== undefined; next = this.#letters.shift()) {
      for (const { replicaId, channel, take } of [...this.#listeners])
        if (replicaId !== next.from && channel === next.channel) take(JSON.parse(next.text), next.from);
    }
  }

  /** What lies there is lost, and everybody is told that something may be. */
  lose(): void {
    this.#letters = [];
    for (const listener of this.#gapListeners) listener();
  }
}
