import { expect, test, vi } from 'vitest';
import { QuietTime } from '../src/quiet-time.js';
import { HandClock } from './support/hand-clock.js';

function quietTime() {
  const clock = new HandClock();
  const onQuiet = vi.fn();
  return { clock, onQuiet, quiet: new QuietTime(clock, 5_000, onQuiet) };
}

test('calls back once, when nothing has happened for the whole time', () => {
  const { clock, onQuiet, quiet } = quietTime();
  quiet.restart();
  clock.pass(4_000);
  quiet.restart();
  clock.pass(4_999);
  expect(onQuiet).not.toHaveBeenCalled();
  clock.pass(1);
  expect(onQuiet).toHaveBeenCalledOnce();
  clock.pass(60_000);
  expect(onQuiet).toHaveBeenCalledOnce();
});

test('begins again with what happens after', () => {
  const { clock, onQuiet, quiet } = quietTime();
  quiet.restart();
  clock.pass(5_000);
  quiet.restart();
  clock.pass(5_000);
  expect(onQuiet).toHaveBeenCalledTimes(2);
});

test('holds one timer, however much happens', () => {
  const { clock, quiet } = quietTime();
  for (let i = 0; i < 1_000; i += 1) quiet.restart();
  expect(clock.delays).toHaveLength(1);
});

test('waits as long as was said last, and for ever where nothing is owed', () => {
  const { clock, onQuiet, quiet } = quietTime();
  quiet.restart();
  clock.pass(1_000);
  quiet.allow(3_000);
  expect(clock.delays).toEqual([2_000]);
  quiet.allow(9_000);
  clock.pass(7_999);
  expect(onQuiet).not.toHaveBeenCalled();
  clock.pass(1);
  expect(onQuiet).toHaveBeenCalledExactlyOnceWith(9_000);
  quiet.restart(Number.POSITIVE_INFINITY);
  clock.pass(60_000);
  expect([clock.delays, onQuiet.mock.calls.length]).toEqual([[], 1]);
});

test('does not call back once it is cancelled', () => {
  const { clock, onQuiet, quiet } = quietTime();
  quiet.restart();
  quiet.cancel();
  clock.pass(60_000);
  expect(onQuiet).not.toHaveBeenCalled();
});
