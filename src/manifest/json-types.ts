/** The kinds of a JSON value. `number` of JSON Schema is two of them, so that a set tells which is wider. */
export type JsonKind = 'null' | 'boolean' | 'object' | 'array' | 'string' | 'integer' | 'fraction';

export const ANY_KIND: ReadonlySet<JsonKind> = new Set([
  'null',
  'boolean',
  'object',
  'array',
  'string',
  'integer',
  'fraction',
]);

const isKind = (type: unknown): type is JsonKind => ANY_KIND.has(type as JsonKind) && type !== 'fraction';

/** The kinds that a schema's `type` names: all of them where there is none. */
export function kindsOfType(type: unknown): ReadonlySet<JsonKind> {
  if (type === undefined) return ANY_KIND;
  const names = [type].flat();
  return new Set(
    names.flatMap((name): JsonKind[] => {
      if (name === 'number') return ['integer', 'fraction'];
      return isKind(name) ? [name] : [];
    }),
  );
}

export function kindOfValue(value: unknown): JsonKind {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'fraction';
  const type = typeof value;
  return isKind(type) ? type : 'null';
}

/** Kinds as JSON Schema writes them, for a sentence. */
export function typeNames(kinds: ReadonlySet<JsonKind>): string {
  if (kinds.size === ANY_KIND.size) return 'anything';
  if (kinds.size === 0) return 'nothing';
  const names = [...kinds].filter((kind) => kind !== 'fraction');
  const shown = kinds.has('fraction') ? [...names.filter((kind) => kind !== 'integer'), 'number'] : names;
  return shown.sort().join(' or ');
}
