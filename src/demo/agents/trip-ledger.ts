import { type CalendarDate, daysFrom } from '../calendar-date.js';
import data from '../data/travel.json' with { type: 'json' };
import type { Connection } from './timetable.js';

export const TRAVEL_CLASSES = ['second', 'first'] as const;
export type TravelClass = (typeof TRAVEL_CLASSES)[number];

export interface Leg {
  readonly connection: Connection;
  readonly date: CalendarDate;
}

/** A booked trip, there and perhaps back. The total is in cents. */
export interface Trip {
  readonly id: string;
  /** In the order in which they are travelled. */
  readonly legs: readonly [Leg, ...Leg[]];
  readonly travellers: number;
  readonly travelClass: TravelClass;
  readonly totalCents: number;
  readonly currency: string;
}

/** The trips that were booked since this process started. */
export class TripLedger {
  readonly #trips = new Map<string, Trip>();
  #count = 0;

  book(legs: Trip['legs'], travellers: number, travelClass: TravelClass): Trip {
    const [{ connection }] = legs;
    const percent = travelClass === 'first' ? data.first_class_percent : 100;
    const seat = legs.reduce((sum, leg) => sum + Math.round((leg.connection.price_cents * percent) / 100), 0);
    this.#count += 1;
    const trip: Trip = {
      id: `TR-${String(this.#count).padStart(4, '0')}`,
      legs,
      travellers,
      travelClass,
      totalCents: seat * travellers,
      currency: connection.currency,
    };
    this.#trips.set(trip.id, trip);
    return trip;
  }

  trip(id: string): Trip | undefined {
    return this.#trips.get(id);
  }

  remove(id: string): void {
    this.#trips.delete(id);
  }
}

/** What handing back a trip costs on a day, in cents; undefined once it has begun. */
export function cancellationFee(
  { legs: [{ date }], totalCents }: Trip,
  on: CalendarDate,
): number | undefined {
  const daysBefore = daysFrom(on, date);
  const rule = data.cancellation.find(({ min_days_before }) => daysBefore >= min_days_before);
  return rule === undefined ? undefined : Math.round((totalCents * rule.fee_percent) / 100);
}
