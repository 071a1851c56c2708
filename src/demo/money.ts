import { fault, type Reader } from './payload-reader.js';

/** An amount as people write it: 45960 cents in EUR is `459.60 EUR`. */
export function money(cents: number, currency: string): string {
  return `${(cents / 100).toFixed(2)} ${currency}`;
}

/** An amount such as 12.5 as whole cents: 1250. Fractions of a cent are no amount. */
export function amount(minCents: number, maxCents: number): Reader<number> {
  const expected = `an amount from ${minCents / 100} to ${maxCents / 100} with at most two decimals`;
  return (value, pointer) => {
    if (typeof value !== 'number') return fault(pointer, expected, value);
    const cents = Math.round(value * 100);
    return cents / 100 === value && cents >= minCents && cents <= maxCents
      ? { value: cents }
      : fault(pointer, expected, value);
  };
}
