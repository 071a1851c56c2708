import { toSimplified } from '../embedding/simplified-chinese.js';
import { remembered } from '../lru-map.js';

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

/**
 * The form in which payload field names are compared: `emailAddress`, `email_address` and `email-address` agree. Every
 * request of a kind has the same names.
 */
export const foldFieldName = remembered((name) => foldText(splitIdentifier(name)).replaceAll(' ', ''), {
  most: 4_000,
  chars: 64,
});
