/**
 * Lets pieces of work that share a key run one after the other, in the order in which they came; others run at
 * the same time. Work with several keys waits for all of them. Since all keys are taken in the moment of the
 * call, two pieces can never wait for each other.
 */
export class Turns {
  readonly #tails = new Map<string, Promise<void>>();

  take<T>(keys: readonly string[], work: () => Promise<T>): Promise<T> {
    const before = keys.map((key) => this.#tails.get(key));
    const result = Promise.all(before).then(work);
    const tail = result.then(nothing, nothing).then(() => {
      for (const key of keys) if (this.#tails.get(key) === tail) this.#tails.delete(key);
    });
    for (const key of keys) this.#tails.set(key, tail);
    return result;
  }
}

const nothing = () => {};
