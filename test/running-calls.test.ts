import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { systemClock } from '../src/clock.js';
import { RunningCalls, within } from '../src/running-calls.js';

test('waits for the calls under way, those that fail too', async () => {
  const calls = new RunningCalls();
  const ended: string[] = [];
  const call = async (name: string) => {
    await sleep(20);
    ended.push(name);
    if (name === 'bad') throw new Error(name);
  };
  const good = calls.track(call('good'));
  const bad = calls.track(call('bad'));
  await Promise.all([calls.ended(), good, expect(bad).rejects.toThrow('bad')]);
  expect(ended).toEqual(['good', 'bad']);
});

test('work that takes too long is told so, and ends with DEADLINE_EXCEEDED', async () => {
  let reason: unknown;
  const late = within(10, systemClock, async ({ signal }) => {
    signal.addEventListener('abort', () => {
      reason = signal.reason;
    });
    await new Promise(() => {});
  });
  const kept = setTimeout(() => {}, 1_000);
  await expect(late).rejects.toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  clearTimeout(kept);
  expect(reason).toMatchObject({ code: 'DEADLINE_EXCEEDED' });
  expect(await within(1_000, systemClock, async () => 'done')).toBe('done');
});

test('work hears of the end of whoever asked for it, also where that came first, and not after it is done', async () => {
  const outer = new AbortController();
  const heard = within(1_000, systemClock, async ({ signal }) => signal, outer.signal);
  const waiting = within(
    1_000,
    systemClock,
    ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(signal.reason))),
    outer.signal,
  );
  const done = await heard;
  outer.abort('gone');
  expect(await waiting).toBe('gone');
  expect(done.aborted).toBe(false);
  const late = within(1_000, systemClock, async ({ signal }) => signal.reason, outer.signal);
  expect(await late).toBe('gone');
});
