import { setTimeout as sleep } from 'node:timers/promises';
import type { AnyReplica } from './any-replica.js';
import type { SeenOperation } from './linearizable.js';
import type { RevisionAnswered, RevisionAsked } from './sequential-models.js';

const SESSIONS = 5;
const WRITERS_EACH = 3;
const WRITE_EVERY_MS = 150;
const PUBLISH_EVERY_MS = 700;
const PUBLISHED_AGENTS = 4;
const TICKET_EVERY_MS = 1_500;
/** All faults of a run one after the other. */
const PATIENCE_MS = 120_000;

export type SessionOperation = SeenOperation<RevisionAsked, RevisionAnswered>;

/** A write that was acknowledged. */
interface Acknowledged {
  readonly what: string;
  /** Whether a replica still knows it. */
  readonly isKept: (replicas: AnyReplica) => Promise<boolean>;
}

export interface SeenWrites {
  readonly sessions: readonly SessionOperation[];
  readonly publishes: number;
  readonly tickets: number;
  /** Acknowledged writes that a replica did not know after all was well again. */
  readonly lost: readonly string[];
}

/** Writes sessions by several at once, publishes manifests and settles tickets, each on any replica, and remembers what was acknowledged. */
export class ReplicaWriters {
  readonly #replicas: AnyReplica;
  readonly #operations: SessionOperation[] = [];
  readonly #acknowledged: Acknowledged[] = [];
  readonly #counts = { publishes: 0, tickets: 0 };
  #isOver = false;

  constructor(replicas: AnyReplica) {
    this.#replicas = replicas;
  }

  /** Resolves when the last write has been answered. */
  async writeFor(seconds: number): Promise<void> {
    const writers = Array.from({ length: SESSIONS * WRITERS_EACH }, (_, index) =>
      this.#writeSession(`chaos-${index % SESSIONS}`, `writer-${index}`),
    );
    const publishers = Array.from({ length: PUBLISHED_AGENTS }, (_, index) =>
      this.#publish(`churn-${index}`),
    );
    const over = sleep(seconds * 1_000).then(() => {
      this.#isOver = true;
    });
    await Promise.all([over, ...writers, ...publishers, this.#settleTickets()]);
  }

  /** Looks for every acknowledged write in each of these replicas. */
  async seenIn(replicas: readonly AnyReplica[]): Promise<SeenWrites> {
    const lost: string[] = [];
    for (const [index, replica] of replicas.entries()) {
      for (const { what, isKept } of this.#acknowledged) {
        if (!(await isKept(replica))) lost.push(`${what} is not known to replica ${index}`);
      }
    }
    return { sessions: this.#operations, ...this.#counts, lost };
  }

  async #writeSession(id: string, writer: string): Promise<void> {
    const path = `/api/v1/sessions/${id}`;
    for (let count = 0; !this.#isOver; count += 1) {
      const revision = await this.#readSession(id);
      const value = `${writer}-${count}`;
      const beganAt = performance.now();
      const answer = await this.#replicas.once({
        ...{ method: 'PUT', path, headers: { 'if-match': `"${revision}"` } },
        body: { kind: 'task', summary: value },
      });
      const endedAt = performance.now();
      const asked = { kind: 'write', expected: revision, value } as const;
      const answered: RevisionAnswered | undefined =
        answer?.status === 200 || answer?.status === 201
          ? { kind: 'is', revision: Number(answer.body.revision), value }
          : answer?.status === 412
            ? { kind: 'stale' }
            : undefined;
      this.#operations.push({ key: id, asked, answered, beganAt, endedAt });
      await sleep(WRITE_EVERY_MS);
    }
  }

  async #readSession(id: string): Promise<number> {
    for (;;) {
      const beganAt = performance.now();
      const answer = await this.#replicas.once({ path: `/api/v1/sessions/${id}` });
      const endedAt = performance.now();
      if (answer?.status === 200 || answer?.status === 404) {
        const revision = answer.status === 404 ? 0 : Number(answer.body.revision);
        const value = answer.status === 404 ? null : String(answer.body.summary);
        const answered = { kind: 'is', revision, value } as const;
        this.#operations.push({ key: id, asked: { kind: 'read' }, answered, beganAt, endedAt });
        return revision;
      }
      await sleep(WRITE_EVERY_MS);
    }
  }

  async #publish(agentName: string): Promise<void> {
    const path = `/api/v1/agents/${agentName}`;
    for (let version = 1; !this.#isOver; version += 1) {
      const body = {
        ...{ agent_name: agentName, manifest_version: version },
        capabilities: [{ id: 'churn', name: `Churn the butter of ${agentName}, round ${version}` }],
      };
      // The same document once more is a success: it may be sent until it is acknowledged.
      const answer = await this.#replicas.until(
        { method: 'PUT', path: `${path}/manifest`, body },
        PATIENCE_MS,
      );
      if (answer.status >= 300) throw new Error(`${path} was refused: ${JSON.stringify(answer.body)}`);
      this.#counts.publishes += 1;
      this.#acknowledged.push({
        what: `${agentName} version ${version}`,
        isKept: async (replica) => {
          const { body: seen } = await replica.until({ path }, PATIENCE_MS);
          return Number(seen.manifest_version) >= version;
        },
      });
      await sleep(PUBLISH_EVERY_MS);
    }
  }

  async #settleTickets(): Promise<void> {
    for (let count = 0; !this.#isOver; count += 1) {
      const intent = `nobody understands this, whatever it is: ${'xyzzy '.repeat((count % 7) + 1)}${count}`;
      const routed = await this.#replicas.until(
        { method: 'POST', path: '/api/v1/route', body: { intent } },
        PATIENCE_MS,
      );
      const id = routed.body.ticket_id;
      if (typeof id === 'string') await this.#settle(id);
      await sleep(TICKET_EVERY_MS);
    }
  }

  async #settle(id: string): Promise<void> {
    const path = `/api/v1/tickets/${id}`;
    const body = { by: 'chaos', note: 'settled' };
    const answer = await this.#replicas.until({ method: 'POST', path: `${path}/resolve`, body }, PATIENCE_MS);
    // A call whose answer was lost may have settled it before.
    if (answer.status !== 200 && answer.body.code !== 'TICKET_RESOLVED') return;
    this.#counts.tickets += 1;
    this.#acknowledged.push({
      what: `that ticket ${id} is settled`,
      isKept: async (replica) => (await replica.until({ path }, PATIENCE_MS)).body.state === 'resolved',
    });
  }
}
