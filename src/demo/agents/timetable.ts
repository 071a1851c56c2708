import { DAY_MINUTES, minutesOf } from '../clock-time.js';
import data from '../data/travel.json' with { type: 'json' };
import { fault, type Reader } from '../payload-reader.js';

export const CONNECTION_KINDS = ['train', 'flight'] as const;
type ConnectionKind = (typeof CONNECTION_KINDS)[number];

/** A city that the company's rules know, with what a day and a night there may cost, in cents. */
export interface City {
  readonly zh: string;
  readonly en: string;
  readonly currency: string;
  readonly allowance_cents: number;
  readonly hotel_cents: number;
}

/** A train or flight that goes every day. Cities by their English names, times as HH:MM. */
export interface Connection {
  readonly id: string;
  readonly kind: ConnectionKind;
  readonly from: string;
  readonly to: string;
  readonly departs: string;
  readonly arrives: string;
  readonly price_cents: number;
  readonly currency: string;
}

const CITIES: readonly City[] = data.cities;

export const CONNECTIONS = data.connections as readonly Connection[];

/** A city by its Chinese or English name. */
export const city: Reader<City> = (value, pointer) => {
  const name = typeof value === 'string' ? value.trim().toLowerCase() : undefined;
  const found = CITIES.find(({ zh, en }) => zh === name || en.toLowerCase() === name);
  return found === undefined
    ? fault(pointer, `one of ${CITIES.map(({ zh, en }) => `${en} (${zh})`).join(', ')}`, value)
    : { value: found };
};

/** A connection by its number, such as G2. */
export const connection: Reader<Connection> = (value, pointer) => {
  const id = typeof value === 'string' ? value.trim().toUpperCase() : undefined;
  const found = CONNECTIONS.find((each) => each.id === id);
  return found === undefined
    ? fault(pointer, 'the number of a connection such as G2', value)
    : { value: found };
};

/** The cities that a sentence names, in the order in which it does. */
export function citiesIn(sentence: string): readonly City[] {
  const lower = sentence.toLowerCase();
  const place = ({ zh, en }: City) => Math.max(lower.indexOf(zh), lower.indexOf(en.toLowerCase()));
  return CITIES.filter((each) => place(each) !== -1).toSorted((a, b) => place(a) - place(b));
}

/** How long a connection takes; one that arrives earlier than it departs arrives on the next day. */
export function durationMinutes({ departs, arrives }: Connection): number {
  return (minutesOf(arrives) - minutesOf(departs) + DAY_MINUTES) % DAY_MINUTES;
}
