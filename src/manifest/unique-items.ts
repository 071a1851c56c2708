import { _, type CodeKeywordDefinition } from 'ajv';
import { canonicalJson } from './canonical-json.js';

function areUnique(items: readonly unknown[]): boolean {
  return new Set(items.map(canonicalJson)).size === items.length;
}

/**
 * `uniqueItems` in linear time. Ajv's own compares each item with each other one: with 100,000 objects that is
 * minutes in which nothing else happens. As code, since what a validator calls as a function keeps its Ajv alive.
 */
export const uniqueItems: CodeKeywordDefinition = {
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  code(context) {
    if (context.schema !== true) return;
    const check = context.gen.scopeValue('func', { ref: areUnique });
    context.pass(_`${check}(${context.data})`);
  },
};
