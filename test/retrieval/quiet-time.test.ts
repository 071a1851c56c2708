import { expect, test, vi } from 'vitest';
import { QuietTime } from '../../src/retrieval/quiet-time.js';
import { HandClock } from './hand-clock.js';

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

test('does not call back once it is cancelled', () => {
  const { clock, onQuiet, quiet } = quietTime();
  quiet.restart();
  quiet.cancel();
  clock.pass(60_000);
  expect(onQuiet).not.toHaveBeenCalled();
});
