/** A map that holds at most `capacity` entries and lets go of the one that was asked for longest ago. */
export class LruMap<Key, Value> {
  readonly #capacity: number;
  /** In the order of use, since a Map keeps the order of insertion. */
  readonly #entries = new Map<Key, Value>();
  /** The last of them: asked for again and again, it need not be moved. */
  #newest: Key | undefined;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key);
    if (value === undefined || key === this.#newest) return value;
    this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    return value;
  }

  set(key: Key, value: Value): void {
    if (key !== this.#newest) this.#entries.delete(key);
    this.#entries.set(key, value);
    this.#newest = key;
    if (this.#entries.size <= this.#capacity) return;
    const [oldest] = this.#entries.keys();
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}
