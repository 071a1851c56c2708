import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import { Rounds } from '../rounds.js';
import type { TicketDesk } from './ticket-desk.js';

/** So soon after its return a store that was away is seen to be back. */
const EVERY_MS = 4_000;

/** Does what becomes due with time alone: ends claims, forgets what was resolved long ago, counts the rest. */
export class TicketRounds {
  readonly #desk: TicketDesk;
  readonly #report: (message: string) => void;
  readonly #rounds: Rounds;
  #unresolved = 0;
  #fault: string | undefined;

  constructor(desk: TicketDesk, clock: Clock, report: (message: string) => void) {
    this.#desk = desk;
    this.#report = report;
    this.#rounds = new Rounds(() => this.#look(), EVERY_MS, clock);
  }

  /** Not resolved at the last round. */
  get unresolved(): number {
    return this.#unresolved;
  }

  /** What kept the last round from its end. */
  get fault(): string | undefined {
    return this.#fault;
  }

  /** At once, for claims that ended while nothing ran; then again and again. */
  start(): void {
    this.#rounds.begin();
  }

  close(): Promise<void> {
    return this.#rounds.close();
  }

  async #look(): Promise<void> {
    try {
      await this.#desk.returnClaims();
      while (!this.#rounds.isClosed && (await this.#desk.prune()));
      this.#unresolved = await this.#desk.unresolved();
      this.#fault = undefined;
    } catch (thrown) {
      const { message } = asReachError(thrown);
      if (this.#fault === undefined) this.#report(`Tickets cannot be looked after: ${message}`);
      this.#fault = message;
    }
  }
}
