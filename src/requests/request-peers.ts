import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { asReachError, ReachError } from '../errors.js';
import type { LiveRequest } from './live-request.js';
import { type Asked, isPeerMessage, type PeerMessage, TOPIC, type Told } from './peer-messages.js';
import type { RequestsCluster } from './requests-cluster.js';

export interface RequestPeersParts {
  readonly cluster: RequestsCluster;
  readonly team: string;
  readonly clock: Clock;
}

/** The replicas that carry out what was asked about here, and the answers to what they ask. */
export class RequestPeers {
  readonly #parts: RequestPeersParts;
  readonly #questions = new Map<string, (told: Told) => void>();
  #stopListening: () => void = () => {};

  constructor(parts: RequestPeersParts) {
    this.#parts = parts;
  }

  /** `answer` does here what another replica asks for. @throws ReachError, which is told there */
  start(answer: (asked: Asked) => Promise<Told>): void {
    const { cluster, team } = this.#parts;
    this.#stopListening = cluster.bus.listen(team, TOPIC, (message) => {
      if (!isPeerMessage(message)) return;
      if (message.kind === 'told') this.#questions.get(message.question)?.(message.told);
      if (message.kind === 'ask' && message.to === cluster.replicaId) void this.#answer(message, answer);
    });
  }

  /** Whether another replica that lives carries it out. */
  runsElsewhere({ owner, isOurs, isOver }: LiveRequest): boolean {
    return owner !== undefined && !isOurs && !isOver && this.#parts.cluster.isLiving(owner);
  }

  /**
   * Has the replica that carries it out do something; undefined where that says nothing in this time, or carries it out
   * no more: what has become of it stands in the store.
   * @throws ReachError that it answers with
   */
  async ask(
    { owner }: LiveRequest,
    asked: Asked,
    withinMs: number,
  ): Promise<Exclude<Told, { kind: 'elsewhere' | 'failed' }> | undefined> {
    const question = randomUUID();
    let stopTimer = () => {};
    try {
      const told = await new Promise<Told | undefined>((resolve) => {
        this.#questions.set(question, resolve);
        stopTimer = this.#parts.clock.after(withinMs, () => resolve(undefined));
        this.#send({ kind: 'ask', question, to: owner ?? '', asked });
      });
      if (told?.kind === 'failed') {
        const { code, message, retryAfterMs } = told.error;
        throw new ReachError(code, message, retryAfterMs === undefined ? {} : { retryAfterMs });
      }
      return told?.kind === 'elsewhere' ? undefined : told;
    } finally {
      stopTimer();
      this.#questions.delete(question);
    }
  }

  close(): void {
    this.#stopListening();
  }

  async #answer(
    { question, asked }: Extract<PeerMessage, { kind: 'ask' }>,
    answer: (asked: Asked) => Promise<Told>,
  ): Promise<void> {
    try {
      this.#send({ kind: 'told', question, told: await answer(asked) });
    } catch (thrown) {
      const { code, message, retryAfterMs } = asReachError(thrown);
      this.#send({
        kind: 'told',
        question,
        told: { kind: 'failed', error: { code, message, retryAfterMs } },
      });
    }
  }

  #send(message: PeerMessage): void {
    this.#parts.cluster.bus.send(this.#parts.team, TOPIC, message);
  }
}
