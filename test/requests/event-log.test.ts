import { expect, test } from 'vitest';
import { EventLog } from '../../src/requests/event-log.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import type { RequestEvent } from '../../src/wire/requests.js';

const queued = { state: 'queued', atMs: 0, node: 'n' } as const;
const answer: DispatchAnswer = {
  requestId: 'r',
  state: 'completed',
  degraded: false,
  decision: null,
  attempts: [],
  waitedMs: 0,
  elapsedMs: 1,
};

function allAfter(log: EventLog, lastEventId: number): RequestEvent[] {
  const cursor = log.cursorAfter(lastEventId);
  const events: RequestEvent[] = [];
  for (let event = log.take(cursor); event !== undefined; event = log.take(cursor)) events.push(event);
  return events;
}

test('tells everything from the first state on, or after the event named', () => {
  const log = new EventLog();
  log.state(queued);
  log.queued(3);
  log.tell('delta', 'Hello');
  log.state({ ...queued, state: 'completed' });
  log.answer(answer);
  const all = [
    { event: 'state', id: 1, data: { state: 'queued', at: '1970-01-01T00:00:00.000Z', node: 'n' } },
    { event: 'queued', id: 2, data: { place: 3 } },
    { event: 'delta', id: 3, data: 'Hello' },
    { event: 'state', id: 4, data: { state: 'completed', at: '1970-01-01T00:00:00.000Z', node: 'n' } },
    { event: 'answer', id: 5, data: answer },
  ];
  expect(allAfter(log, 0)).toEqual(all);
  for (const [index, { id }] of all.entries()) expect(allAfter(log, id)).toEqual(all.slice(index + 1));
});

test('tells all again to whom an earlier run told more', () => {
  const log = new EventLog();
  log.state(queued);
  expect(allAfter(log, 99)).toMatchObject([{ id: 1 }]);
});

test('of more than 1,000 pieces the oldest are lost, and counted for whoever has missed them', () => {
  const log = new EventLog();
  log.state(queued);
  for (let piece = 0; piece < 500; piece += 1) log.tell('progress', piece);
  log.state({ ...queued, state: 'processing' });
  for (let piece = 500; piece < 1_700; piece += 1) log.tell('delta', piece);
  const told = allAfter(log, 0);
  expect(told.slice(0, 5)).toMatchObject([
    { event: 'state', id: 1 },
    { event: 'lost', id: 501, data: { count: 500 } },
    { event: 'state', id: 502 },
    { event: 'lost', id: 702, data: { count: 200 } },
    { event: 'delta', id: 703, data: 700 },
  ]);
  expect(told).toHaveLength(4 + 1_000);
  // Nothing is lost for whoever was quick, and who resumes in the middle of what is gone is told of the rest.
  expect(allAfter(log, 1_700)).toHaveLength(2);
  expect(allAfter(log, 602)[0]).toMatchObject({ event: 'lost', id: 702, data: { count: 100 } });
});

test('of more than 1 MB the oldest are lost, states never', () => {
  const log = new EventLog();
  log.state(queued);
  for (let piece = 0; piece < 20; piece += 1) log.tell('delta', 'x'.repeat(100_000));
  expect(log.chars).toBeLessThanOrEqual(1_048_576);
  log.tell('progress', { text: 'y'.repeat(2_000_000) });
  expect(log.chars).toBe(0);
  log.answer(answer);
  const told = allAfter(log, 0);
  expect(told).toMatchObject([
    { event: 'state' },
    { event: 'lost', data: { count: 21 } },
    { event: 'answer' },
  ]);
});

test('what is read from the store has the ids that were told before', () => {
  const log = new EventLog();
  log.state(queued);
  log.tell('delta', 'Hello');
  log.tell('delta', 'world');
  log.state({ ...queued, state: 'completed' });
  log.answer(answer);
  const again = EventLog.of(log.states, answer);
  expect(allAfter(again, 3)).toEqual(allAfter(log, 3));
  expect(allAfter(again, 2)[0]).toMatchObject({ event: 'lost', id: 3, data: { count: 1 } });
});
