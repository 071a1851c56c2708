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

  /** The returned function gives the answer once it is there. */
  open(attempt: number): () => Promise<FinalAnswer> {
    const reply = new OpenReply();
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

  /** Nobody here waits any more: the next start does. */
  leave(error: ReachError): void {
    for (const reply of this.#open?.values() ?? []) reply.give(error);
    this.#open = undefined;
  }
}
