import type { TSchema } from 'typebox';
import { isObject } from './json-object.js';

type CamelKey<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelKey<Tail>>}`
  : S;

/** The code form of a wire type: snake_case keys become camelCase, at every depth that the schema describes. */
export type Camel<T> = T extends readonly (infer Item)[]
  ? Camel<Item>[]
  : T extends object
    ? { [Key in keyof T as Key extends string ? CamelKey<Key> : Key]: Camel<T[Key]> }
    : T;

export interface Codec<Wire> {
  /** Of the wire form. */
  readonly schema: TSchema;
  /** Wire form to code form. Expects a value that already fits the schema. */
  decode(wire: Wire): Camel<Wire>;
  /** Code form to wire form. Properties that are undefined are left out. */
  encode(code: Camel<Wire>): Wire;
}

/** The camelCase name of a snake_case one: `top_k` -> `topK`. */
export function camelKey(key: string): string {
  return key.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

type Convert = (value: unknown) => unknown;
type Rename = readonly { from: string; to: string; convert: Convert | undefined }[];
type Direction = 'decode' | 'encode';

interface SchemaNode {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly items?: SchemaNode;
  readonly anyOf?: readonly SchemaNode[];
}

function renameObject(rename: Rename): Convert {
  return (value) => {
    if (!isObject(value)) return value;
    const result: Record<string, unknown> = {};
    for (const { from, to, convert } of rename) {
      const item = value[from];
      if (item !== undefined) result[to] = convert === undefined ? item : convert(item);
    }
    return result;
  };
}

function converter(node: SchemaNode, direction: Direction): Convert | undefined {
  if (node.properties !== undefined) {
    const rename = Object.entries(node.properties).map(([name, child]) => {
      const [from, to] = direction === 'decode' ? [name, camelKey(name)] : [camelKey(name), name];
      return { from, to, convert: converter(child, direction) };
    });
    return renameObject(rename);
  }
  if (node.items !== undefined) {
    const item = converter(node.items, direction);
    return item && ((value) => (Array.isArray(value) ? value.map(item) : value));
  }
  // A value has the names of one alternative only, so the names of all of them can be renamed at once.
  const alternatives = node.anyOf ?? [];
  const properties = Object.assign({}, ...alternatives.map((alternative) => alternative.properties));
  if (Object.keys(properties).length > 0) return converter({ properties }, direction);
  return alternatives.map((alternative) => converter(alternative, direction)).find((found) => found);
}

/**
 * The one place that turns snake_case into camelCase and back, driven by the schema: only names that the
 * schema declares are renamed, so payloads, JSON Schemas, labels and metadata pass through untouched. Names
 * that an object schema does not declare are left out.
 */
export function codecOf<Schema extends TSchema, Wire>(schema: Schema): Codec<Wire> {
  const decode = converter(schema as SchemaNode, 'decode') ?? ((value: unknown) => value);
  const encode = converter(schema as SchemaNode, 'encode') ?? ((value: unknown) => value);
  return {
    schema,
    decode: (wire) => decode(wire) as Camel<Wire>,
    encode: (code) => encode(code) as Wire,
  };
}
