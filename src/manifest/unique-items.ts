import type { KeywordDefinition } from 'ajv';
import { canonicalJson } from './canonical-json.js';

/**
 * `uniqueItems` in linear time. Ajv's own compares each item with each other one: with 100,000 objects that is
 * minutes in which nothing else happens.
 */
export const uniqueItems: KeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  validate: (unique: boolean, items: readonly unknown[]) =>
    !unique || new Set(items.map(canonicalJson)).size === items.length,
};
