/**
 * Which capabilities know a payload field, by folded name. A field that few schemas know says more than one
 * that all of them know, so a match weighs log(1 + capabilities / knowing).
 */
export class FieldIndex {
  readonly #knowing = new Map<string, Set<number>>();
  readonly #fieldsOf = new Map<number, readonly string[]>();

  add(id: number, fields: readonly string[]): void {
    this.#fieldsOf.set(id, fields);
    for (const field of fields) {
      const knowing = this.#knowing.get(field) ?? new Set<number>();
      knowing.add(id);
      this.#knowing.set(field, knowing);
    }
  }

  remove(id: number): void {
    for (const field of this.#fieldsOf.get(id) ?? []) {
      const knowing = this.#knowing.get(field);
      knowing?.delete(id);
      if (knowing?.size === 0) this.#knowing.delete(field);
    }
    this.#fieldsOf.delete(id);
  }

  /** The weight of the known fields, for every capability that knows at least one of them. */
  scores(fields: Iterable<string>): Map<number, number> {
    const scores = new Map<number, number>();
    for (const field of fields) {
      const knowing = this.#knowing.get(field);
      if (knowing === undefined) continue;
      const weight = Math.log(1 + this.#fieldsOf.size / knowing.size);
      for (const id of knowing) scores.set(id, (scores.get(id) ?? 0) + weight);
    }
    return scores;
  }
}
