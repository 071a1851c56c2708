import { fault, type Reader } from './payload-reader.js';

const DAY_MS = 86_400_000;

/** A day of the calendar as `YYYY-MM-DD`: such strings compare as the days do, and know no time zone. */
export type CalendarDate = string;

/** A day that exists: 2023-02-29 does not. */
export const calendarDate: Reader<CalendarDate> = (value, pointer) =>
  typeof value === 'string' && exists(value) ? { value } : fault(pointer, 'a date as YYYY-MM-DD', value);

/** True for a day that exists, from 1900 to 2199: whatever is computed from it then has four digits, too. */
export function exists(date: string): boolean {
  if (!/^(?:19|20|21)\d\d-\d\d-\d\d$/.test(date)) return false;
  const time = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(date);
}

/** Today by the world's clock (UTC), so that a company with offices on several continents agrees on it. */
export function currentDate(): CalendarDate {
  return new Date().toISOString().slice(0, 10);
}

/** How many days `to` lies after `from`; 0 for the same day. */
export function daysFrom(from: CalendarDate, to: CalendarDate): number {
  return (Date.parse(to) - Date.parse(from)) / DAY_MS;
}

/** The days from `from` to `to`, both included, that are no Saturday or Sunday. */
export function workingDays(from: CalendarDate, to: CalendarDate): number {
  const length = daysFrom(from, to) + 1;
  const beyondWeeks = Array.from({ length: length % 7 }, (_, index) => plusDays(from, index));
  return Math.floor(length / 7) * 5 + beyondWeeks.filter(isWorkingDay).length;
}

/** The day on which `days` working days are over that begin on `from`. `days` is at least 1. */
export function lastWorkingDay(from: CalendarDate, days: number): CalendarDate {
  let day = from;
  for (let left = days; ; day = plusDays(day, 1)) {
    if (isWorkingDay(day)) left -= 1;
    if (left <= 0) return day;
  }
}

/** 0 for a Sunday to 6 for a Saturday. */
export function weekdayOf(date: CalendarDate): number {
  return new Date(Date.parse(date)).getUTCDay();
}

function isWorkingDay(date: CalendarDate): boolean {
  const weekday = weekdayOf(date);
  return weekday !== 0 && weekday !== 6;
}

export function plusDays(date: CalendarDate, days: number): CalendarDate {
  return new Date(Date.parse(date) + days * DAY_MS).toISOString().slice(0, 10);
}
