import { ReachError } from '../errors.js';
import type { EmbedCall, HeldText } from './embed-call.js';

type Line = 'urgent' | 'bulk';

/** How many texts may wait: for urgent ones a few seconds of work, for bulk ones a large catalogue. */
const MAX_WAITING: Readonly<Record<Line, number>> = { urgent: 1_000, bulk: 20_000 };

const lineOf = (bulk: boolean): Line => (bulk ? 'bulk' : 'urgent');

/** The calls whose texts wait for the model, first come first served in each of two lines. Bounded. */
export class EmbedQueue {
  readonly #lines = { urgent: new Set<EmbedCall>(), bulk: new Set<EmbedCall>() };
  readonly #waiting = { urgent: 0, bulk: 0 };

  get waiting(): number {
    return this.#waiting.urgent + this.#waiting.bulk;
  }

  /** @throws ReachError OVERLOADED where the call's line has no room for all its texts. */
  add(call: EmbedCall): void {
    const line = lineOf(call.bulk);
    if (this.#waiting[line] + call.waiting > MAX_WAITING[line]) {
      throw new ReachError('OVERLOADED', `${this.#waiting[line]} ${line} texts already wait to be embedded.`);
    }
    this.#lines[line].add(call);
    this.#waiting[line] += call.waiting;
  }

  /** Takes up to `texts` texts with up to `chars` characters from a line; a single text may be longer. */
  take(bulk: boolean, texts: number, chars: number): HeldText[] {
    const line = lineOf(bulk);
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
    const line = lineOf(call.bulk);
    if (this.#lines[line].delete(call)) this.#waiting[line] -= call.waiting;
    call.fail(error);
  }

  failAll(error: unknown): void {
    for (const call of [...this.#lines.urgent, ...this.#lines.bulk]) this.fail(call, error);
  }
}
