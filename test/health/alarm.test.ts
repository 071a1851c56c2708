import { expect, it } from 'vitest';
import { Alarm } from '../../src/health/alarm.js';
import { HandClock } from '../support/hand-clock.js';

function newAlarm() {
  const clock = new HandClock();
  const rung: string[] = [];
  const alarm = new Alarm<string>(clock, (thing) => rung.push(thing));
  return { clock, alarm, rung: () => rung.splice(0) };
}

it('rings for each at its own time, with one timer', () => {
  const { clock, alarm, rung } = newAlarm();
  alarm.set('late', 100);
  alarm.set('early', 50);
  expect(clock.delays).toEqual([50]);
  clock.pass(50);
  expect(rung()).toEqual(['early']);
  clock.pass(49);
  expect(rung()).toEqual([]);
  clock.pass(1);
  expect(rung()).toEqual(['late']);
  expect(clock.delays).toEqual([]);
});

it('rings once, at the last time that was set, and not where that was taken back', () => {
  const { clock, alarm, rung } = newAlarm();
  alarm.set('moved', 10);
  alarm.set('moved', 30);
  alarm.set('taken back', 20);
  alarm.set('taken back', undefined);
  clock.pass(20);
  expect(rung()).toEqual([]);
  clock.pass(10);
  expect(rung()).toEqual(['moved']);
  clock.pass(1_000);
  expect(rung()).toEqual([]);
});

it('rings for what is set while it rings', () => {
  const clock = new HandClock();
  const times: number[] = [];
  const alarm: Alarm<string> = new Alarm(clock, (thing) => {
    times.push(clock.monotonic());
    if (times.length < 3) alarm.set(thing, clock.monotonic() + 10);
  });
  alarm.set('again', 10);
  for (let i = 0; i < 10; i++) clock.pass(10);
  expect(times).toEqual([10, 20, 30]);
});
