import type { BreakingChange } from '../wire/agents.js';
import { typeNames } from './json-types.js';
import type { JsonSchema } from './schema.js';
import { ShapeReader, TooMuchToRead } from './shape-reader.js';
import { keyOf, type Spec, type ValueShape } from './value-shape.js';

/** Who a schema binds: what callers send is the input, what they read is the output. */
export type Direction = 'input' | 'output';

export type SchemaBreak = Omit<BreakingChange, 'capabilityId'>;

/** A value in both versions. `name` is what a person calls it. */
interface Pair {
  readonly before: Spec;
  readonly after: Spec;
  readonly name: string;
}

const NAMED_VALUES = 5;

const minus = <T>(one: ReadonlySet<T>, other: ReadonlySet<T>): readonly T[] =>
  [...one].filter((item) => !other.has(item));

/** Where a value is described: the first of the places that speak of it. */
function pointerOf(spec: Spec): string | undefined {
  if (spec.kind === 'place') return spec.pointer;
  return spec.specs.map(pointerOf).find((pointer) => pointer !== undefined);
}

function listed(values: readonly string[]): string {
  const rest = values.length - NAMED_VALUES;
  return values.slice(0, NAMED_VALUES).join(', ') + (rest > 0 ? ` and ${rest} more` : '');
}

/** Finds what a caller of the version `before` can no longer rely on in the version `after`. */
class SchemaComparison {
  readonly breaks: SchemaBreak[] = [];
  readonly #direction: Direction;
  readonly #before: ShapeReader;
  readonly #after: ShapeReader;
  /** Pairs that were met: recursive schemas come back to them. */
  readonly #met = new Set<string>();
  readonly #open: Pair[] = [];

  constructor(before: JsonSchema, after: JsonSchema, direction: Direction) {
    this.#before = new ShapeReader(before);
    this.#after = new ShapeReader(after);
    this.#direction = direction;
  }

  run(): void {
    this.#meet({ before: this.#before.root, after: this.#after.root, name: `the ${this.#direction}` });
    for (let pair = this.#open.shift(); pair !== undefined; pair = this.#open.shift()) this.#compare(pair);
  }

  #compare(pair: Pair): void {
    const before = this.#before.shapeOf(pair.before);
    const after = this.#after.shapeOf(pair.after);
    const isRetyped = this.#compareKinds(pair, before, after);
    if (!isRetyped) this.#compareValues(pair, before, after);
    // With no kind in common there is nothing left in it to compare: it was told that all of it is another.
    if (minus(before.kinds, after.kinds).length === before.kinds.size) return;
    this.#compareFields(pair, before, after);
    for (const [key, spec] of before.inner) {
      const other = after.inner.get(key);
      if (other !== undefined) this.#meet({ before: spec, after: other, name: `each value in ${pair.name}` });
    }
  }

  /** Callers may no longer send a type, or must now understand one. */
  #compareKinds(pair: Pair, before: ValueShape, after: ValueShape): boolean {
    const [asked, given] = this.#direction === 'input' ? [before, after] : [after, before];
    if (minus(asked.kinds, given.kinds).length === 0) return false;
    const sentence = `${pair.name} was ${typeNames(before.kinds)} and is ${typeNames(after.kinds)}`;
    this.#note('retyped', pair.after, pair.before, sentence);
    return true;
  }

  #compareValues(pair: Pair, before: ValueShape, after: ValueShape): void {
    const isInput = this.#direction === 'input';
    const [asked, given] = isInput ? [before.values, after.values] : [after.values, before.values];
    if (given === undefined) return;
    const values = asked === undefined ? undefined : minus(asked, given);
    if (values?.length === 0) return;
    const which = values === undefined ? 'other values than the named ones' : listed(values);
    const sentence = isInput ? `${pair.name} takes no more: ${which}` : `${pair.name} may be new: ${which}`;
    this.#note(isInput ? 'enum_narrowed' : 'enum_widened', pair.after, pair.before, sentence);
  }

  #compareFields(pair: Pair, before: ValueShape, after: ValueShape): void {
    const nameOf = (field: string) => `the ${this.#direction} field ${JSON.stringify(field)}`;
    for (const [field, spec] of before.fields) {
      // A field without a name of its own any more is still one where all other fields are described.
      const other = after.fields.get(field) ?? after.inner.get('additionalProperties');
      if (other === undefined) this.#note('removed', spec, pair.before, `${nameOf(field)} is gone`);
      else this.#meet({ before: spec, after: other, name: nameOf(field) });
    }
    if (this.#direction === 'input') {
      for (const field of minus(after.required, before.required)) {
        const spec = after.fields.get(field) ?? pair.after;
        this.#note('newly_required', spec, pair.after, `${nameOf(field)} must be sent now`);
      }
      return;
    }
    for (const field of minus(before.required, after.required)) {
      const spec = after.fields.get(field);
      if (spec === undefined) continue;
      this.#note('no_longer_required', spec, pair.after, `${nameOf(field)} may be missing now`);
    }
  }

  #note(kind: SchemaBreak['kind'], spec: Spec, around: Spec, what: string): void {
    const pointer = `/${this.#direction}_schema${pointerOf(spec) ?? pointerOf(around) ?? ''}`;
    const sentence = `${what.charAt(0).toUpperCase()}${what.slice(1)}.`;
    this.breaks.push({ kind, pointer, sentence });
  }

  #meet(pair: Pair): void {
    const key = `${keyOf(pair.before)} ${keyOf(pair.after)}`;
    if (this.#met.has(key)) return;
    this.#met.add(key);
    this.#open.push(pair);
  }
}

/**
 * What broke between two versions of a checked schema, breadth first. An input must go on taking what callers
 * send, an output must not surprise them: what one may widen (types, values) the other may narrow, and the other
 * way round. Of a schema whose references ask for unbounded work a part is compared; what was found so far counts.
 */
export function schemaBreaks(before: JsonSchema, after: JsonSchema, direction: Direction): SchemaBreak[] {
  const comparison = new SchemaComparison(before, after, direction);
  try {
    comparison.run();
  } catch (thrown) {
    if (!(thrown instanceof TooMuchToRead)) throw thrown;
  }
  return comparison.breaks;
}
