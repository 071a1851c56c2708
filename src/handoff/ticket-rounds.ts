import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { TicketDesk } from './ticket-desk.js';

const EVERY_MS = 10_000;

/** Does what becomes due with time alone: ends claims, forgets what was resolved long ago, counts the rest. */
export class TicketRounds {
  readonly #desk: TicketDesk;
  readonly #clock: Clock;
  readonly #report: (message: string) => void;
  #stopTimer: () => void = () => {};
  #round: Promise<void> = Promise.resolve();
  #isOpen = true;
  #unresolved = 0;
  #fault: string | undefined;

  constructor(desk: TicketDesk, clock: Clock, report: (message: string) => void) {
    this.#desk = desk;
    this.#clock = clock;
    this.#report = report;
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
    this.#round = this.#look().then(() => {
      if (this.#isOpen) this.#stopTimer = this.#clock.after(EVERY_MS, () => this.start());
    });
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    this.#stopTimer();
    await this.#round;
  }

  async #look(): Promise<void> {
    try {
      await this.#desk.returnClaims();
      while (this.#isOpen && (await this.#desk.prune()));
      this.#unresolved = await this.#desk.unresolved();
      this.#fault = undefined;
    } catch (thrown) {
      const { message } = asReachError(thrown);
      if (this.#fault === undefined) this.#report(`Tickets cannot be looked after: ${message}`);
      this.#fault = message;
    }
  }
}
