import { toSimplified } from '../embedding/simplified-chinese.js';
import { LruMap } from '../lru-map.js';

/**
 * The form in which texts are compared: NFKC, Simplified characters, lower case, runs of white space as one space,
 * none at the ends.
 */
export function foldText(text: string): string {
  return toSimplified(text).toLowerCase().replace(/\s+/gu, ' ').trim();
}

/** An identifier as words: `parcelWeightKg`, `parcel_weight_kg` and `parcel-weight.kg` all become `parcel weight kg`. */
export function splitIdentifier(identifier: string): string {
  return identifier
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/[_\-./:]+/gu, ' ')
    .trim();
}

/** Every request of a kind has the same names. Longer ones are rare, and would fill the memory. */
const FOLDED_NAMES = new LruMap<string, string>(4_000);
const REMEMBERED_CHARS = 64;

/** The form in which payload field names are compared: `emailAddress`, `email_address` and `email-address` agree. */
export function foldFieldName(name: string): string {
  const known = FOLDED_NAMES.get(name);
  if (known !== undefined) return known;
  const folded = foldText(splitIdentifier(name)).replaceAll(' ', '');
  if (name.length <= REMEMBERED_CHARS) FOLDED_NAMES.set(name, folded);
  return folded;
}
