import { InvalidArgumentError } from 'commander';

/** A number that was given as text. */
export function numberOf(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It is not a number.');
  return value;
}

/** Reads a number in these bounds; anything else is a usage error. */
export function numberWithin(least: number, most: number, isWhole: boolean) {
  return (text: string): number => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!isWhole || Number.isInteger(value))) return value;
    throw new InvalidArgumentError(`It is not a ${isWhole ? 'whole ' : ''}number from ${least} to ${most}.`);
  };
}
