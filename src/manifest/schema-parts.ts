import { isObject, type JsonObject } from '../wire/json-object.js';
import { pointerStep } from '../wire/json-pointer.js';
import { resolveRef } from './local-refs.js';
import type { JsonSchema } from './schema.js';

/** A `pattern`, or a name in `patternProperties`. */
interface Pattern {
  readonly pointer: string;
  readonly source: string;
}

/** A `$ref` or `$dynamicRef`. */
export interface Reference {
  readonly pointer: string;
  readonly ref: string;
  /** What it points to; undefined where it is not found or not local. */
  readonly target: unknown;
}

/** What limits and compiling ask of a JSON Schema, found in one walk. */
export interface SchemaParts {
  /** Objects and arrays. */
  readonly nodes: number;
  readonly depth: number;
  readonly references: readonly Reference[];
  readonly patterns: readonly Pattern[];
  /** Pointers of `$async: true`, by which Ajv would answer later instead of at once. */
  readonly asyncs: readonly string[];
  /** What multiplies work: branches of `anyOf` and `oneOf`, values of `enum` and branches as simple as one, names in `patternProperties`. */
  readonly choices: { readonly branches: number; readonly values: number; readonly patterns: number };
  /** How many of the schemas have an `$id`. */
  readonly named: number;
  /** Objects that are schemas; unknown keywords count as such, since a reference may lead into them. */
  readonly schemas: ReadonlySet<unknown>;
  /** Objects and arrays of `const`, `enum`, `default` and `examples`: values, whatever they look like. */
  readonly data: ReadonlySet<unknown>;
}

type Position = 'schema' | 'schemas by name' | 'data';

const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
const NAMED_KEYWORDS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const REF_KEYWORDS: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

function positionOf(key: string, parent: Position): Position {
  if (parent !== 'schema') return parent === 'data' ? 'data' : 'schema';
  if (DATA_KEYWORDS.has(key)) return 'data';
  return NAMED_KEYWORDS.has(key) ? 'schemas by name' : 'schema';
}

class PartsWalk {
  nodes = 0;
  depth = 0;
  named = 0;
  readonly references: Reference[] = [];
  readonly patterns: Pattern[] = [];
  readonly asyncs: string[] = [];
  readonly choices = { branches: 0, values: 0, patterns: 0 };
  readonly schemas = new Set<unknown>();
  readonly data = new Set<unknown>();

  /** `resource` is the root that local references are relative to: the nearest schema with an `$id`. */
  visit(value: unknown, pointer: string, depth: number, position: Position, resource: JsonSchema): void {
    if (typeof value !== 'object' || value === null) return;
    this.nodes += 1;
    this.depth = Math.max(this.depth, depth);
    if (position === 'data') this.data.add(value);
    if (Array.isArray(value)) {
      const within = position === 'data' ? 'data' : 'schema';
      for (const [index, item] of value.entries()) {
        this.visit(item, `${pointer}/${index}`, depth + 1, within, resource);
      }
    } else if (isObject(value)) {
      const ownResource = typeof value.$id === 'string' && !value.$id.startsWith('#');
      const root = position === 'schema' && ownResource ? value : resource;
      if (position === 'schema') this.#collect(value, pointer, root);
      if (position !== 'data') this.#collectPatterns(value, pointer);
      for (const [key, item] of Object.entries(value)) {
        this.visit(item, pointer + pointerStep(key), depth + 1, positionOf(key, position), root);
      }
    }
  }

  #collect(schema: Readonly<Record<string, unknown>>, pointer: string, resource: JsonSchema): void {
    this.schemas.add(schema);
    if (typeof schema.$id === 'string') this.named += 1;
    for (const [key, value] of Object.entries(schema)) {
      const at = pointer + pointerStep(key);
      if (REF_KEYWORDS.has(key) && typeof value === 'string') {
        this.references.push({ pointer: at, ref: value, target: resolveRef(resource, value) });
      }
      if (key === '$async' && value === true) this.asyncs.push(at);
      if ((key === 'anyOf' || key === 'oneOf') && Array.isArray(value)) this.#countBranches(value);
      if (key === 'enum' && Array.isArray(value)) this.choices.values += value.length;
    }
  }

  #countBranches(branches: readonly unknown[]): void {
    const simple = branches.filter(
      (branch) => !isObject(branch) || Object.values(branch).every((part) => typeof part !== 'object'),
    ).length;
    this.choices.values += simple;
    this.choices.branches += branches.length - simple;
  }

  #collectPatterns({ pattern, patternProperties }: JsonObject, pointer: string): void {
    if (typeof pattern === 'string') this.patterns.push({ pointer: `${pointer}/pattern`, source: pattern });
    if (!isObject(patternProperties)) return;
    for (const source of Object.keys(patternProperties)) {
      this.choices.patterns += 1;
      this.patterns.push({ pointer: `${pointer}/patternProperties${pointerStep(source)}`, source });
    }
  }
}

/** The parts of a schema. Pointers are relative to it. Expects plain JSON of bounded depth. */
export function partsOf(schema: JsonSchema): SchemaParts {
  const walk = new PartsWalk();
  walk.visit(schema, '', 1, 'schema', schema);
  return walk;
}
