import { type FieldError, ReachError, sentenceOf } from '../errors.js';
import { MAX_FIELD_ERRORS } from '../wire/field-errors.js';

/** What is wrong with a manifest, in the order in which it was found; what is over the bound is not kept. */
export class ManifestFieldErrors {
  readonly #faults: FieldError[] = [];

  get full(): boolean {
    return this.#faults.length >= MAX_FIELD_ERRORS;
  }

  /** Adds faults whose pointers are relative to `base`. */
  add(faults: readonly FieldError[], base = ''): void {
    const room = MAX_FIELD_ERRORS - this.#faults.length;
    for (const fault of faults.slice(0, room)) {
      this.#faults.push({ ...fault, pointer: base + fault.pointer });
    }
  }

  /** @throws ReachError MANIFEST_INVALID with all faults, if there are any. */
  refuse(): void {
    const [first] = this.#faults;
    if (first === undefined) return;
    const count = this.#faults.length === 1 ? 'a fault' : `${this.#faults.length} faults`;
    const detail = `The manifest has ${count}; ${sentenceOf([first], 'the manifest')}.`;
    throw new ReachError('MANIFEST_INVALID', detail, { errors: this.#faults });
  }
}
