import { expect, test, vi } from 'vitest';
import { eventStream, type ServerSentEvent } from '../../src/http/server-sent-events.js';
import { LiveReaders } from '../../src/live/live-reader.js';
import { HandClock } from '../support/hand-clock.js';

function streamed(id?: string) {
  const clock = new HandClock();
  const waiting: ServerSentEvent[] = [];
  const readers = new LiveReaders<ServerSentEvent>();
  const pieces = eventStream(
    readers.open(() => waiting.shift()),
    id,
    clock,
  );
  const next = async () => (await pieces.next()).value;
  const tell = (event: ServerSentEvent) => {
    waiting.push(event);
    readers.wakeAll();
  };
  return { clock, readers, pieces, next, tell };
}

const settled = () => new Promise(setImmediate);

test('it begins with when to come again, and with where to go on', async () => {
  expect(await streamed().next()).toBe('retry: 2000\n\n');
  expect(await streamed('run-7').next()).toBe('retry: 2000\nid: run-7\n\n');
});

test('an event is its id, its name and one line of JSON', async () => {
  const { next, tell } = streamed();
  await next();
  tell({ event: 'change', id: 'run-8', data: { reason: 'a\nb' } });
  tell({ event: 'lost', data: { count: 3 } });
  expect(await next()).toBe('id: run-8\nevent: change\ndata: {"reason":"a\\nb"}\n\n');
  expect(await next()).toBe('event: lost\ndata: {"count":3}\n\n');
});

test('every 15 s of silence are a comment, and no event is lost over it', async () => {
  const { clock, next, tell } = streamed();
  await next();
  for (let silence = 0; silence < 3; silence += 1) {
    const piece = next();
    await settled();
    clock.pass(14_999);
    clock.pass(1);
    expect(await piece).toBe(':\n\n');
  }
  const piece = next();
  tell({ event: 'lost', data: { count: 1 } });
  expect(await piece).toContain('event: lost');
  expect(clock.delays).toEqual([]);
});

test('a silence of days costs no memory', async () => {
  const clock = new HandClock();
  const never = new Promise<IteratorResult<ServerSentEvent>>(() => {});
  const listened = vi.spyOn(never, 'then');
  const pieces = eventStream({ [Symbol.asyncIterator]: () => ({ next: () => never }) }, undefined, clock);
  await pieces.next();
  for (let silence = 0; silence < 100; silence += 1) {
    const piece = pieces.next();
    await settled();
    clock.pass(15_000);
    expect(await piece).toMatchObject({ value: ':\n\n' });
  }
  expect(listened).toHaveBeenCalledTimes(1);
});

test('it ends with its events, without a timer', async () => {
  const { clock, readers, next } = streamed();
  await next();
  const piece = next();
  await settled();
  expect(clock.delays).toEqual([15_000]);
  readers.endAll();
  expect(await piece).toBeUndefined();
  expect(clock.delays).toEqual([]);
});

test('who leaves it ends its events', async () => {
  const { readers, pieces, next } = streamed();
  await next();
  await pieces.return();
  // Bounded in number: there is room for as many as ever.
  for (let i = 0; i < 1_000; i += 1) readers.open(() => undefined);
});
