import { describe, type FieldError } from '../errors.js';
import { isObject } from '../wire/json-object.js';
import { type JsonSchema, MANIFEST_LIMITS } from './schema.js';
import { partsOf, type Reference, type SchemaParts } from './schema-parts.js';

export type Dialect = '2020-12' | 'draft-07';

const DIALECTS: ReadonlyMap<string, Dialect> = new Map([
  ['https://json-schema.org/draft/2020-12/schema', '2020-12'],
  ['http://json-schema.org/draft-07/schema', 'draft-07'],
]);

/** The dialect that `$schema` names, 2020-12 where it names none; undefined for any other. */
export function dialectOf(schema: JsonSchema): Dialect | undefined {
  if (!isObject(schema) || schema.$schema === undefined) return '2020-12';
  const { $schema } = schema;
  if (typeof $schema !== 'string') return undefined;
  const address = $schema.replace(/#$/, '');
  return DIALECTS.get(address) ?? DIALECTS.get(address.replace(/^https:/, 'http:'));
}

function referenceFault({ pointer, ref, target }: Reference, { data }: SchemaParts): FieldError | undefined {
  if (!ref.startsWith('#')) {
    return { pointer, expected: 'a reference inside this schema: #...', received: describe(ref) };
  }
  if (target === undefined) {
    return {
      pointer,
      expected: 'a reference to a definition of this schema',
      received: `${describe(ref)}, which is none`,
    };
  }
  if (!data.has(target)) return undefined;
  return { pointer, expected: 'a reference to a schema', received: `${describe(ref)}, which is a value` };
}

/**
 * What in a schema is over MANIFEST_LIMITS, refers to the outside, or is of an unknown dialect. Cheap: nothing
 * is compiled. Pointers are relative to the schema.
 */
export function schemaLimitFaults(schema: JsonSchema): FieldError[] {
  const { schemaBytes, schemaDepth, schemaNodes, schemaRefs, schemaPatterns, patternChars } = MANIFEST_LIMITS;
  const bytes = Buffer.byteLength(JSON.stringify(schema));
  if (bytes > schemaBytes) {
    return [
      { pointer: '', expected: `a schema of at most ${schemaBytes} bytes`, received: `${bytes} bytes` },
    ];
  }
  const parts = partsOf(schema);
  const faults: FieldError[] = [];
  const bound = (what: string, limit: number, actual: number) => {
    if (actual > limit) {
      faults.push({ pointer: '', expected: `at most ${limit} ${what}`, received: String(actual) });
    }
  };
  bound('levels of nesting', schemaDepth, parts.depth);
  bound('objects and arrays in a schema', schemaNodes, parts.nodes);
  bound('references in a schema', schemaRefs, parts.references.length);
  bound('patterns in a schema', schemaPatterns, parts.patterns.length);
  if (dialectOf(schema) === undefined) {
    faults.push({
      pointer: '/$schema',
      expected: [...DIALECTS.keys()].join(' or '),
      received: describe(isObject(schema) ? schema.$schema : undefined),
    });
  }
  for (const pointer of parts.asyncs) {
    faults.push({ pointer, expected: 'a schema that answers at once', received: '$async' });
  }
  for (const { pointer, source } of parts.patterns) {
    if (source.length > patternChars) {
      faults.push({
        pointer,
        expected: `a pattern of at most ${patternChars} characters`,
        received: `${source.length} characters`,
      });
    }
  }
  return [...faults, ...parts.references.flatMap((each) => referenceFault(each, parts) ?? [])];
}
