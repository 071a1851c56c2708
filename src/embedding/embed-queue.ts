import { ReachError } from '../errors.js';
import type { EmbedCall, HeldText, Line } from './embed-call.js';

/** How many texts may wait: for urgent ones a few seconds of work, for long ones some more, for bulk a large catalogue. */
const MAX_WAITING: Readonly<Record<Line, number>> = { urgent: 1_000, long: 20, bulk: 20_000 };
/** When who was sent away may come again. */
const RETRY_MS = 1_000;

/** The calls whose texts wait for the model, first come first served in each line. Bounded. */
export class EmbedQueue {
  readonly #lines = { urgent: new Set<EmbedCall>(), long: new Set<EmbedCall>(), bulk: new Set<EmbedCall>() };
  readonly #waiting = { urgent: 0, long: 0, bulk: 0 };

  get waiting(): number {
    return this.#waiting.urgent + this.#waiting.long + this.#waiting.bulk;
  }

  /** @throws ReachError OVERLOADED where the call's line has no room for all its texts. */
  add(call: EmbedCall): void {
    const { line } = call;
    if (this.#waiting[line] + call.waiting > MAX_WAITING[line]) {
      const detail = `${this.#waiting[line]} ${line} texts already wait to be embedded.`;
      throw new ReachError('OVERLOADED', detail, { retryAfterMs: RETRY_MS });
    }
    this.#lines[line].add(call);
    this.#waiting[line] += call.waiting;
  }

  /** Takes up to `texts` texts with up to `chars` characters from a line; a single text may be longer. */
  take(line: Line, texts: number, chars: number): HeldText[] {
    const taken: HeldText[] = [];
    let charsLeft = chars;
    for (const call of this.#lines[line]) {
      for (let text = call.peek(); text !== undefined; text = call.peek()) {
        if (taken.length >= texts || (taken.length > 0 && text.length > charsLeft)) return taken;
        charsLeft -= text.length;
        taken.push(call.hand(text));
        this.#waiting[line] -= 1;
      }
      this.#lines[line].delete(call);
    }
    return taken;
  }

  /** Ends a call with an error; its texts wait no longer. */
  fail(call: EmbedCall, error: unknown): void {
    const { line } = call;
    if (this.#lines[line].delete(call)) this.#waiting[line] -= call.waiting;
    call.fail(error);
  }

  failAll(error: unknown): void {
    for (const line of Object.values(this.#lines)) for (const call of line) this.fail(call, error);
  }
}
