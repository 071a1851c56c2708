import { ANY_KIND, type JsonKind } from './json-types.js';

/**
 * What is written about a value: a schema at its place (a pointer from the root), or several of them of which
 * all hold, or one does.
 */
export type Spec =
  | { readonly kind: 'place'; readonly schema: unknown; readonly pointer: string }
  | { readonly kind: 'all' | 'any'; readonly key: string; readonly specs: readonly Spec[] };

/** Tells specs of one root apart: two with the same key say the same. */
export const keyOf = (spec: Spec): string => (spec.kind === 'place' ? spec.pointer : spec.key);

/** Says nothing. */
export const SILENT: Spec = { kind: 'all', key: 'all()', specs: [] };

/** What a schema says of a value, whichever keywords it says it with. */
export interface ValueShape {
  readonly kinds: ReadonlySet<JsonKind>;
  /** The values that it may have, as JSON; undefined where they are not named. */
  readonly values: ReadonlySet<string> | undefined;
  readonly required: ReadonlySet<string>;
  /** The fields that it knows, required ones included. */
  readonly fields: ReadonlyMap<string, Spec>;
  /** What it says of the values in it that have no name of their own: items by keyword and place, other fields. */
  readonly inner: ReadonlyMap<string, Spec>;
}

export const ANYTHING: ValueShape = {
  kinds: ANY_KIND,
  values: undefined,
  required: new Set(),
  fields: new Map(),
  inner: new Map(),
};

function together(kind: 'all' | 'any', specs: Iterable<Spec>): Spec {
  // References lead to the same place by many ways.
  const different = new Map([...specs].map((spec) => [keyOf(spec), spec]));
  const [only = SILENT] = different.values();
  if (different.size < 2) return only;
  return { kind, key: `${kind}(${[...different.keys()].join()})`, specs: [...different.values()] };
}

function joined(
  kind: 'all' | 'any',
  shapes: readonly ValueShape[],
  part: 'fields' | 'inner',
): ReadonlyMap<string, Spec> {
  const lists = new Map<string, Spec[]>();
  for (const [name, spec] of shapes.flatMap((shape) => [...shape[part]])) {
    const list = lists.get(name) ?? [];
    list.push(...(spec.kind === kind ? spec.specs : [spec]));
    lists.set(name, list);
  }
  return new Map([...lists].map(([name, list]) => [name, together(kind, list)]));
}

/** The shape of a value of which all of the shapes hold. */
export function all(shapes: readonly ValueShape[]): ValueShape {
  let { kinds, values } = ANYTHING;
  for (const shape of shapes) {
    kinds = intersection(kinds, shape.kinds);
    values = values && shape.values ? intersection(values, shape.values) : (values ?? shape.values);
  }
  return {
    kinds,
    values,
    required: new Set(shapes.flatMap(({ required }) => [...required])),
    fields: joined('all', shapes, 'fields'),
    inner: joined('all', shapes, 'inner'),
  };
}

/** The shape of a value of which one of the shapes holds. */
export function any(shapes: readonly ValueShape[]): ValueShape {
  const [first = ANYTHING, ...others] = shapes;
  let { values, required } = first;
  for (const shape of others) {
    values = values && shape.values && new Set([...values, ...shape.values]);
    required = intersection(required, shape.required);
  }
  return {
    kinds: new Set([first, ...others].flatMap(({ kinds }) => [...kinds])),
    values,
    required,
    fields: joined('any', shapes, 'fields'),
    inner: joined('any', shapes, 'inner'),
  };
}

function intersection<T>(one: ReadonlySet<T>, other: ReadonlySet<T>): ReadonlySet<T> {
  return new Set([...one].filter((item) => other.has(item)));
}

/** What only holds under a condition is known, and nothing more. */
export const underCondition = ({ fields, inner }: ValueShape): ValueShape => ({ ...ANYTHING, fields, inner });
