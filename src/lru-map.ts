/**
 * A map that holds at most `capacity` entries, and at least the half of them that were set or asked for last: the others
 * go together. Entries are kept in two generations, so that asking for one of the younger changes nothing.
 */
export class LruMap<Key, Value> {
  readonly #half: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(capacity: number) {
    this.#half = Math.ceil(capacity / 2);
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined) return value;
    const kept = this.#old.get(key);
    if (kept !== undefined) this.set(key, kept);
    return kept;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    if (this.#young.size >= this.#half && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }
}

/** Bounds of what is remembered: so many texts, none longer than so many characters. */
export interface Memory {
  readonly most: number;
  readonly chars: number;
}

/**
 * The same function, which remembers what it gave for the texts that it was asked for last. Longer texts are rare, and
 * would fill the memory.
 */
export function remembered<Result extends NonNullable<unknown>>(
  of: (text: string) => Result,
  { most, chars }: Memory,
): (text: string) => Result {
  const known = new LruMap<string, Result>(most);
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const result = of(text);
    if (text.length <= chars) known.set(text, result);
    return result;
  };
}
