/** Digits that are kept of a learned number. */
const DIGITS = 6;

/** What was learned as it is written: what lies behind the sixth digit of a number means nothing. */
export function rounded<Learned>(learned: Learned): Learned {
  return JSON.parse(
    JSON.stringify(learned, (_, value) =>
      typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value,
    ),
  );
}
