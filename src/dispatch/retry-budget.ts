/** What it begins with, in repeats. */
const BEGINS_AT = 10;
/** What each first attempt adds. */
const PER_FIRST_ATTEMPT = 0.2;
/** The most that is saved up, so that long quiet does not pay for a flood. */
const MOST = 100;

/** How many attempts may be repeated in the whole process: a share of the first attempts, so that a sick fleet is not flooded. */
export class RetryBudget {
  #balance = BEGINS_AT;

  get allows(): boolean {
    return this.#balance >= 1;
  }

  firstAttempt(): void {
    this.#balance = Math.min(MOST, this.#balance + PER_FIRST_ATTEMPT);
  }

  spend(): void {
    this.#balance -= 1;
  }

  /** A repeat that was spent for was not made. */
  giveBack(): void {
    this.#balance += 1;
  }
}
