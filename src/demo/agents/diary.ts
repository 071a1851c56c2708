import { type CalendarDate, weekdayOf } from '../calendar-date.js';
import { type ClockTime, minutesOf } from '../clock-time.js';
import data from '../data/calendar.json' with { type: 'json' };

/** On one day, or every week on a weekday (0 for Sunday). */
type Recurrence =
  | { readonly kind: 'once'; readonly date: CalendarDate }
  | { readonly kind: 'weekly'; readonly weekday: number };

export interface CalendarEvent {
  readonly id: string;
  readonly title: string;
  readonly on: Recurrence;
  readonly start: ClockTime;
  readonly end: ClockTime;
  readonly people: readonly string[];
}

/** A piece of a day, from its first minute to the one after its last. */
export interface TimeSpan {
  readonly start: ClockTime;
  readonly end: ClockTime;
}

/** The weekly meetings of the data file, and what has been added and removed since this process started. */
export class Diary {
  readonly people: readonly string[] = data.people;
  readonly #events = new Map<string, CalendarEvent>();
  #count = 0;

  constructor() {
    for (const { weekday, start, end, ...rest } of data.weekly) {
      const on: Recurrence = { kind: 'weekly', weekday };
      this.#keep({ ...rest, on, start: minutesOf(start), end: minutesOf(end) });
    }
  }

  add(title: string, date: CalendarDate, span: TimeSpan, people: readonly string[]): CalendarEvent {
    const id = `EV-${String(this.#count + 1).padStart(4, '0')}`;
    return this.#keep({ id, title, on: { kind: 'once', date }, ...span, people });
  }

  /** Takes an event out, a weekly one with all its days; undefined where there is none of this id. */
  remove(id: string): CalendarEvent | undefined {
    const event = this.#events.get(id);
    this.#events.delete(id);
    return event;
  }

  /** The events of a day in order of time; those of some people, or of everyone. */
  eventsOn(date: CalendarDate, people: readonly string[] = this.people): readonly CalendarEvent[] {
    return [...this.#events.values()]
      .filter(({ on }) => (on.kind === 'once' ? on.date === date : on.weekday === weekdayOf(date)))
      .filter((event) => event.people.some((person) => people.includes(person)))
      .toSorted((a, b) => a.start - b.start);
  }

  /** The parts of a span of a day, `minutes` or longer, in which none of these people has an event. */
  freeOn(
    date: CalendarDate,
    people: readonly string[],
    within: TimeSpan,
    minutes: number,
  ): readonly TimeSpan[] {
    const free: TimeSpan[] = [];
    let from = within.start;
    for (const { start, end } of this.eventsOn(date, people)) {
      free.push({ start: from, end: Math.min(start, within.end) });
      from = Math.max(from, end);
    }
    free.push({ start: from, end: within.end });
    return free.filter(({ start, end }) => end - start >= minutes);
  }

  #keep(event: CalendarEvent): CalendarEvent {
    this.#events.set(event.id, event);
    this.#count += 1;
    return event;
  }
}

export function overlap(a: TimeSpan, b: TimeSpan): boolean {
  return a.start < b.end && b.start < a.end;
}
