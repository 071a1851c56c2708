import { fault, type Reader } from './payload-reader.js';

/** A time of day in minutes since midnight. */
export type ClockTime = number;

export const DAY_MINUTES = 1440;

/** A time of day as `HH:MM`, 00:00 to 23:59. */
export const clockTime: Reader<ClockTime> = (value, pointer) =>
  typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value)
    ? { value: minutesOf(value) }
    : fault(pointer, 'a time of day as HH:MM', value);

/** The time that is written `HH:MM`. */
export function minutesOf(written: string): ClockTime {
  return Number(written.slice(0, 2)) * 60 + Number(written.slice(3));
}

/** `HH:MM`; the end of a day is 24:00. */
export function written(time: ClockTime): string {
  const two = (number: number) => String(number).padStart(2, '0');
  return `${two(Math.floor(time / 60))}:${two(time % 60)}`;
}
