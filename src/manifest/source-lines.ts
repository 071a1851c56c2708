import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter } from 'yaml';
import { jsonEntries } from '../wire/json-entries.js';
import { pointerKeys } from '../wire/json-pointer.js';
import { placeOf } from '../wire/text-place.js';

/** Tells the line (from 1) of what a JSON pointer names; of the nearest thing around it where it is not there. */
export type LineOf = (pointer: string) => number;

/** Lines of JSON text, which is known to be JSON. */
export function jsonLines(text: string): LineOf {
  return (pointer) => {
    const keys = pointerKeys(pointer);
    let found = 0;
    let offset = text.search(/\S/);
    for (const entry of jsonEntries(text)) {
      // The entries inside of what was found have been passed.
      if (entry.depth <= found) break;
      if (entry.depth === found + 1 && entry.key === keys[found]) {
        found += 1;
        offset = entry.offset;
      }
      if (found === keys.length) break;
    }
    return placeOf(text, offset).line;
  };
}

interface YamlPlace {
  readonly offset: number | undefined;
  readonly value: unknown;
}

function yamlEntry(container: unknown, key: string): YamlPlace | undefined {
  if (isMap(container)) {
    const pair = container.items.find(({ key: name }) => String(isScalar(name) ? name.value : name) === key);
    return pair && { offset: isNode(pair.key) ? pair.key.range?.[0] : undefined, value: pair.value };
  }
  const item = isSeq(container) ? container.items[Number(key)] : undefined;
  return isNode(item) ? { offset: item.range?.[0], value: item } : undefined;
}

/** Lines of a YAML document. */
export function yamlLines(document: Document, counter: LineCounter): LineOf {
  return (pointer) => {
    let value: unknown = document.contents;
    let offset = document.contents?.range?.[0] ?? 0;
    for (const key of pointerKeys(pointer)) {
      const entry = yamlEntry(isAlias(value) ? value.resolve(document) : value, key);
      if (entry === undefined) break;
      offset = entry.offset ?? offset;
      value = entry.value;
    }
    return Math.max(1, counter.linePos(offset).line);
  };
}
