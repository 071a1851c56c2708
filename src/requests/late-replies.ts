import { ReachError } from '../errors.js';
import type { FinalAnswer } from '../transport/agent-transport.js';

/** What an attempt may still get: its answer, which may be there before it is asked for. */
class OpenReply {
  #given: FinalAnswer | ReachError | undefined;
  #tell: (() => void) | undefined;

  give(answer: FinalAnswer | ReachError): void {
    this.#given = answer;
    this.#tell?.();
  }

  async taken(): Promise<FinalAnswer> {
    if (this.#given === undefined) {
      await new Promise<void>((resolve) => {
        this.#tell = resolve;
      });
    }
    const given = this.#given as unknown as FinalAnswer | ReachError;
    if (given instanceof ReachError) throw given;
    return given;
  }
}

/** The late answers that a request may still get, by attempt. What is not open any more was given, or given up. */
export class LateReplies {
  #open: Map<number, OpenReply> | undefined;
  #isLeft = false;

  /** The returned function gives the answer once it is there, or throws CLOSED once it is left. */
  open(attempt: number): () => Promise<FinalAnswer> {
    const reply = new OpenReply();
    if (this.#isLeft) reply.give(leftToTheNextStart());
    this.#open ??= new Map();
    this.#open.set(attempt, reply);
    return () => reply.taken();
  }

  isOpen(attempt: number): boolean {
    return this.#open?.has(attempt) === true;
  }

  giveUp(attempt: number): void {
    this.#open?.delete(attempt);
  }

  give(attempt: number, answer: FinalAnswer): void {
    const reply = this.#open?.get(attempt);
    this.#open?.delete(attempt);
    reply?.give(answer);
  }

  /** From now on nobody here waits: the next start does. What comes before that is noticed is taken all the same. */
  leave(): void {
    this.#isLeft = true;
    for (const reply of this.#open?.values() ?? []) reply.give(leftToTheNextStart());
  }
}

function leftToTheNextStart(): ReachError {
  return new ReachError('CLOSED', 'Agent-Reach is shutting down; its next start waits on.');
}
