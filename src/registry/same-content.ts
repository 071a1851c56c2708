import type { ManifestDocument } from '../manifest/schema.js';
import { isObject } from '../wire/json-object.js';

/**
 * Whether a document says the same as a checked one, whatever the order of its keys. The version is left out:
 * it numbers the content. Only as deep as the checked one is looked, so `given` may be anything.
 */
export function sameContent(checked: ManifestDocument, given: unknown): boolean {
  if (!isObject(given)) return false;
  return sameJson(withoutVersion(checked), withoutVersion(given));
}

function withoutVersion(document: object): object {
  return { ...document, manifest_version: null };
}

function sameJson(checked: unknown, given: unknown): boolean {
  if (checked === given) return true;
  if (Array.isArray(checked)) {
    if (!Array.isArray(given) || given.length !== checked.length) return false;
    return checked.every((item, index) => sameJson(item, given[index]));
  }
  if (!isObject(checked) || !isObject(given)) return false;
  const keys = Object.keys(checked);
  if (Object.keys(given).length !== keys.length) return false;
  return keys.every((key) => Object.hasOwn(given, key) && sameJson(checked[key], given[key]));
}
