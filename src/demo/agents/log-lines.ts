import type { CalendarDate } from '../calendar-date.js';
import data from '../data/logs.json' with { type: 'json' };

export const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type Level = (typeof LEVELS)[number];

/** A line of a service's log. `at` is in UTC, so that such strings compare as times do. */
export interface LogLine {
  readonly at: string;
  readonly service: string;
  readonly level: Level;
  readonly message: string;
}

/** Which lines to look at; what is undefined narrows nothing. `from` and `to` are both included. */
export interface LogFilter {
  readonly service: string | undefined;
  readonly from: CalendarDate | undefined;
  readonly to: CalendarDate | undefined;
}

const LINES = data as readonly LogLine[];

export const SERVICES: readonly string[] = [...new Set(LINES.map(({ service }) => service))].toSorted();

/** The lines that a filter lets through, the oldest first. */
export function linesOf({ service, from, to }: LogFilter): readonly LogLine[] {
  return LINES.filter((line) => {
    const day = line.at.slice(0, 10);
    return (
      (service === undefined || line.service === service) &&
      (from === undefined || day >= from) &&
      (to === undefined || day <= to)
    );
  });
}

/** What is the same in messages that differ only in numbers and traces: their text without them. */
export function causeOf(message: string): string {
  return message.replace(/,? trace \w+$/, '').replaceAll(/\d+(?:\.\d+)*/g, 'N');
}
