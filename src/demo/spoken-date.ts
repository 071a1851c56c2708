import { type CalendarDate, exists, plusDays, weekdayOf } from './calendar-date.js';

/** Days as people name them, by how many days from today they are. */
const DAYS_AHEAD: readonly (readonly [number, RegExp])[] = [
  [2, /day after tomorrow|后天/i],
  [1, /tomorrow|明天|明早/i],
  [0, /today|this (?:morning|afternoon|evening)|今天|今晚/i],
];

/** Sunday first, as dates count weekdays. */
const WEEKDAY_WORDS = [
  /sunday|(?:周|星期|礼拜)[日天]/i,
  /monday|(?:周|星期|礼拜)一/i,
  /tuesday|(?:周|星期|礼拜)二/i,
  /wednesday|(?:周|星期|礼拜)三/i,
  /thursday|(?:周|星期|礼拜)四/i,
  /friday|(?:周|星期|礼拜)五/i,
  /saturday|(?:周|星期|礼拜)六/i,
] as const;

/** The full dates of a sentence, such as 2025-03-03 or 2025年3月3日, in the order in which they are said. */
export function datesIn(sentence: string): readonly CalendarDate[] {
  return [...sentence.matchAll(/(\d{4})[-/年](\d{1,2})[-/月](\d{1,2})/g)]
    .map(([, year = '', month = '', day = '']) => `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`)
    .filter(exists);
}

/** The day that a sentence names: a full date, a day near `today`, or the next such weekday, today included. */
export function dayIn(sentence: string, today: CalendarDate): CalendarDate | undefined {
  const [date] = datesIn(sentence);
  if (date !== undefined) return date;
  const ahead = DAYS_AHEAD.find(([, words]) => words.test(sentence))?.[0];
  if (ahead !== undefined) return plusDays(today, ahead);
  const weekday = WEEKDAY_WORDS.findIndex((words) => words.test(sentence));
  return weekday === -1 ? undefined : plusDays(today, (weekday - weekdayOf(today) + 7) % 7);
}
