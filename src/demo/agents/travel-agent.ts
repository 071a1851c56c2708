import type { AgentProgram, AgentTask, TaskAnswer } from '../agent-program.js';
import { languageOf } from '../asker-language.js';
import { type CalendarDate, calendarDate, currentDate, daysFrom } from '../calendar-date.js';
import { money } from '../money.js';
import { integer, object, oneOf, optional, readPayload, refusal } from '../payload-reader.js';
import { type RecordNumber, requiredNumber } from '../record-number.js';
import {
  CONNECTION_KINDS,
  CONNECTIONS,
  type Connection,
  citiesIn,
  city,
  connection,
  durationMinutes,
} from './timetable.js';
import { cancellationFee, type Leg, TRAVEL_CLASSES, type Trip, TripLedger } from './trip-ledger.js';

const BOOKING_ID: RecordNumber = {
  field: 'booking_id',
  pattern: /TR-\d{4}(?!\d)/,
  expected: 'a booking number such as TR-0001',
};
const MAX_TRIP_DAYS = 90;

const ORDERS = {
  price: (a: Connection, b: Connection) => a.price_cents - b.price_cents,
  duration: (a: Connection, b: Connection) => durationMinutes(a) - durationMinutes(b),
  departure: (a: Connection, b: Connection) => a.departs.localeCompare(b.departs),
} as const;

const KIND_WORDS = [
  ['train', /train|火车|高铁|动车|车次/i],
  ['flight', /flight|plane|飞机|航班|机票/i],
] as const;

/** Trips by a timetable from a file. What is booked stays as long as the program runs. */
export function createTravelAgent(today: () => CalendarDate = currentDate): AgentProgram {
  const ledger = new TripLedger();
  return new Map([
    ['search-connections', searchConnections],
    ['book-trip', (task: AgentTask) => bookTrip(ledger, task)],
    ['cancel-trip', (task: AgentTask) => cancelTrip(ledger, task, today())],
    ['travel-allowance', travelAllowance],
  ]);
}

function searchConnections({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    from: optional(city),
    to: optional(city),
    kind: optional(oneOf(CONNECTION_KINDS)),
    sort: optional(oneOf(['price', 'duration', 'departure'])),
  });
  const [first, second] = citiesIn(intent);
  const from = fields.from ?? first;
  const to = fields.to ?? second;
  if (from === undefined) throw refusal('/from', 'the city to start from', undefined);
  if (to === undefined || to === from) throw refusal('/to', 'another city to go to', to?.en);
  const kind = fields.kind ?? KIND_WORDS.find(([, words]) => words.test(intent))?.[0];
  const cheapest = /cheap|便宜/i.test(intent) ? 'price' : 'departure';
  const connections = CONNECTIONS.filter(
    (each) => each.from === from.en && each.to === to.en && (kind === undefined || each.kind === kind),
  ).toSorted(ORDERS[fields.sort ?? cheapest]);
  const listed = connections.map(
    ({ id, departs, arrives, price_cents, currency }) =>
      `${id} ${departs}-${arrives} ${money(price_cents, currency)}`,
  );
  const said = {
    zh: `${from.zh}到${to.zh}:${listed.join(';') || '没有车次或航班'}。`,
    en: `${from.en} to ${to.en}: ${listed.join('; ') || 'no connection'}.`,
  };
  return {
    result: { from: from.en, to: to.en, connections: connections.map(shown) },
    reply: said[languageOf(intent)],
  };
}

function bookTrip(ledger: TripLedger, { intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, {
    connection_id: connection,
    date: calendarDate,
    return: optional(object({ connection_id: connection, date: calendarDate })),
    travellers: optional(integer(1, 20)),
    class: optional(oneOf(TRAVEL_CLASSES)),
  });
  const outward: Leg = { connection: fields.connection_id, date: fields.date };
  const back =
    fields.return === undefined
      ? undefined
      : { connection: fields.return.connection_id, date: fields.return.date };
  if (back !== undefined) requireWayBack(outward, back);
  const legs: Trip['legs'] = back === undefined ? [outward] : [outward, back];
  const { id, travellers, travelClass, totalCents, currency } = ledger.book(
    legs,
    fields.travellers ?? 1,
    fields.class ?? 'second',
  );
  const listed = legs.map(
    (leg) => `${leg.connection.id} ${leg.date} ${leg.connection.from}-${leg.connection.to}`,
  );
  const said = {
    zh: `已预订 ${id}:${listed.join(',')},${travellers} 人,共 ${money(totalCents, currency)}。`,
    en: `Booked as ${id}: ${listed.join(', ')}, travellers: ${travellers}, ${money(totalCents, currency)} in total.`,
  };
  return {
    result: {
      booking_id: id,
      legs: legs.map((leg) => ({ date: leg.date, ...shown(leg.connection) })),
      travellers,
      class: travelClass,
      total: totalCents / 100,
      currency,
    },
    reply: said[languageOf(intent)],
  };
}

function cancelTrip(ledger: TripLedger, task: AgentTask, today: CalendarDate): TaskAnswer {
  const id = requiredNumber(task, BOOKING_ID);
  const { cancelled_on: on = today } = readPayload(task.payload, { cancelled_on: optional(calendarDate) });
  const trip = ledger.trip(id);
  if (trip === undefined) throw refusal('/booking_id', 'the number of a booked trip', id);
  const fee = cancellationFee(trip, on);
  if (fee === undefined) throw refusal('/cancelled_on', `a day until ${trip.legs[0].date}`, on);
  ledger.remove(id);
  const refund = trip.totalCents - fee;
  const said = {
    zh: `${id} 已退票,手续费 ${money(fee, trip.currency)},退回 ${money(refund, trip.currency)}。`,
    en: `${id} is cancelled; the fee is ${money(fee, trip.currency)}, ${money(refund, trip.currency)} come back.`,
  };
  return {
    result: { booking_id: id, fee: fee / 100, refund: refund / 100, currency: trip.currency },
    reply: said[languageOf(task.intent)],
  };
}

function travelAllowance({ intent, payload }: AgentTask): TaskAnswer {
  const fields = readPayload(payload, { city, from: calendarDate, to: calendarDate });
  const nights = daysFrom(fields.from, fields.to);
  if (nights < 0 || nights >= MAX_TRIP_DAYS) {
    throw refusal('/to', `a date from ${fields.from} on, at most ${MAX_TRIP_DAYS} days in all`, fields.to);
  }
  const { zh, en, currency, allowance_cents, hotel_cents } = fields.city;
  const days = nights + 1;
  const allowance = days * allowance_cents;
  const hotel = nights * hotel_cents;
  const said = {
    zh: `${zh}出差 ${days} 天补贴 ${money(allowance, currency)},住宿 ${nights} 晚不超过 ${money(hotel, currency)}。`,
    en: `${en}, days: ${days}: ${money(allowance, currency)} allowance, hotel up to ${money(hotel, currency)}.`,
  };
  return {
    result: { city: en, days, nights, allowance: allowance / 100, hotel_limit: hotel / 100, currency },
    reply: said[languageOf(intent)],
  };
}

/** @throws PayloadError for a way back that goes elsewhere, or begins before the way there. */
function requireWayBack(outward: Leg, back: Leg): void {
  const { from, to } = outward.connection;
  if (back.connection.from !== to || back.connection.to !== from) {
    throw refusal('/return/connection_id', `a connection from ${to} to ${from}`, back.connection.id);
  }
  if (back.date < outward.date) throw refusal('/return/date', `a date from ${outward.date} on`, back.date);
}

function shown(each: Connection) {
  const { id, kind, from, to, departs, arrives, price_cents, currency } = each;
  const duration = durationMinutes(each);
  return {
    connection_id: id,
    kind,
    from,
    to,
    departs,
    arrives,
    duration_minutes: duration,
    price: price_cents / 100,
    currency,
  };
}
