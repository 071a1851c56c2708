import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keepPruned, Rounds } from '../src/rounds.js';
import { HandClock } from './support/hand-clock.js';

test('a round begins so long after the one before has ended, and a close waits for the one under way', async () => {
  const clock = new HandClock();
  const ends: (() => void)[] = [];
  const rounds = new Rounds(() => new Promise((resolve) => ends.push(resolve)), 1_000, clock);
  rounds.beginLater();
  clock.pass(999);
  expect(ends).toHaveLength(0);
  clock.pass(1);
  expect(ends).toHaveLength(1);
  clock.pass(5_000);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await setImmediate();
  clock.pass(1_000);
  expect(ends).toHaveLength(2);

  let isClosed = false;
  const closed = rounds.close().then(() => {
    isClosed = true;
  });
  await setImmediate();
  expect(isClosed).toBe(false);
  ends[1]?.();
  await closed;
  clock.pass(5_000);
  expect(ends).toHaveLength(2);
});

test('what cannot be pruned is told by its name, and tried again a minute later', async () => {
  const clock = new HandClock();
  const reports: string[] = [];
  let left = 3;
  const prune = async () => {
    left -= 1;
    if (left === 2) throw new Error('the disk is full');
    return left > 0;
  };
  const stop = keepPruned('sessions', [prune], clock, (report) => reports.push(report));
  clock.pass(60_000);
  await setImmediate();
  expect(reports).toEqual(['Old sessions cannot be removed: the disk is full']);
  clock.pass(60_000);
  await stop();
  expect(left).toBe(1);
});
