/** An answer in wire form, with what it answers. */
export interface KeptAnswer {
  /** Of what was asked. */
  readonly digest: string;
  readonly status: number;
  readonly body: Buffer;
}

const KEPT_MS = 600_000;
const MAX_ANSWERS = 10_000;
const MAX_BYTES = 64 * 1_048_576;

/** The answers of the last ten minutes by request id; where they grow too many or too large, the oldest go. */
export class KeptAnswers {
  readonly #now: () => number;
  /** The oldest first. */
  readonly #answers = new Map<string, KeptAnswer & { readonly until: number }>();
  #bytes = 0;

  /** `now` in ms, monotonic. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get(requestId: string): KeptAnswer | undefined {
    this.#forgetOld();
    return this.#answers.get(requestId);
  }

  /** A request id is answered once, so none is there yet. */
  keep(requestId: string, answer: KeptAnswer): void {
    this.#answers.set(requestId, { ...answer, until: this.#now() + KEPT_MS });
    this.#bytes += answer.body.length;
    this.#forgetOld();
  }

  #forgetOld(): void {
    for (const [requestId, { until, body }] of this.#answers) {
      const tooMuch = this.#answers.size > MAX_ANSWERS || this.#bytes > MAX_BYTES;
      if (!tooMuch && until > this.#now()) return;
      this.#answers.delete(requestId);
      this.#bytes -= body.length;
    }
  }
}
