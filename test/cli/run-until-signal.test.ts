import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import { runUntilSignal } from '../../src/cli/run-until-signal.js';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function scene(close: () => Promise<void> = async () => {}) {
  const signals = new EventEmitter();
  const watchers = { onStarted: vi.fn(), onStopping: vi.fn() };
  const running = { address: 'http://x', close: vi.fn(close) };
  return { signals, watchers, running };
}

test.each(['SIGTERM', 'SIGINT'])('%s closes in good order and ends with 0', async (signal) => {
  const { signals, watchers, running } = scene();
  const code = runUntilSignal(async () => running, signals, watchers);
  await turn();
  expect(watchers.onStarted).toHaveBeenCalledWith(running);
  expect(running.close).not.toHaveBeenCalled();
  signals.emit(signal, signal);
  expect(await code).toBe(0);
  expect(running.close).toHaveBeenCalledOnce();
  expect(signals.listenerCount('SIGTERM') + signals.listenerCount('SIGINT')).toBe(0);
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
])('a second signal, %s, ends at once with %i', async (signal, expected) => {
  const { signals, watchers, running } = scene(() => new Promise(() => {}));
  let now = 0;
  const code = runUntilSignal(async () => running, signals, watchers, { monotonic: () => now });
  await turn();
  signals.emit('SIGTERM', 'SIGTERM');
  await turn();
  expect(watchers.onStopping).toHaveBeenCalledOnce();
  now = 1_500;
  signals.emit(signal, signal);
  expect(await code).toBe(expected);
});

test('the echo of a signal is not a second one', async () => {
  let end = () => {};
  const { signals, watchers, running } = scene(
    () =>
      new Promise((resolve) => {
        end = resolve;
      }),
  );
  let now = 0;
  const code = runUntilSignal(async () => running, signals, watchers, { monotonic: () => now });
  await turn();
  signals.emit('SIGINT', 'SIGINT');
  now = 200;
  signals.emit('SIGINT', 'SIGINT');
  await turn();
  end();
  expect(await code).toBe(0);
});

test('a signal during the start ends the start', async () => {
  const { signals, watchers } = scene();
  const ended = vi.fn();
  const start = (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        ended();
        reject(new Error('told to end'));
      });
    });
  const code = runUntilSignal(start, signals, watchers);
  signals.emit('SIGINT', 'SIGINT');
  expect(await code).toBe(0);
  expect(ended).toHaveBeenCalledOnce();
  expect(watchers.onStarted).not.toHaveBeenCalled();
});

test('what starts all the same is closed', async () => {
  const { signals, watchers, running } = scene();
  let begin = () => {};
  const start = new Promise<typeof running>((resolve) => {
    begin = () => resolve(running);
  });
  const code = runUntilSignal(() => start, signals, watchers);
  signals.emit('SIGINT', 'SIGINT');
  begin();
  expect(await code).toBe(0);
  expect(running.close).toHaveBeenCalledOnce();
});

test('a failed start is passed on', async () => {
  const { signals, watchers } = scene();
  const failing = runUntilSignal(() => Promise.reject(new Error('taken')), signals, watchers);
  await expect(failing).rejects.toThrow('taken');
  expect(signals.listenerCount('SIGTERM')).toBe(0);
});
