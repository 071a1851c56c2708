import { expect, onTestFinished, test } from 'vitest';
import { HttpClient } from '../../src/net/http-client.js';
import { Callbacks } from '../../src/outbox/callbacks.js';
import { Outbox } from '../../src/outbox/outbox.js';
import { MemoryOutboxStore } from '../../src/storage/memory/outbox-store.js';
import type { RequestStatus } from '../../src/wire/requests.js';
import { HandClock } from '../support/hand-clock.js';
import { until } from '../support/until.js';
import { receiver } from './receiver.js';

process.env.CALLBACK_SECRET = 'callback secret';

const ended: RequestStatus = {
  requestId: 'order-1',
  state: 'cancelled',
  lane: 'P1',
  mode: 'async',
  acceptedAt: '2026-01-02T03:04:05.678Z',
  deadlineAt: '2026-01-02T03:14:05.678Z',
  history: [{ state: 'cancelled', at: '2026-01-02T03:04:06.000Z', node: 'n1' }],
  answer: null,
  callback: null,
};

function openCallbacks(
  allowedHosts: readonly string[],
  secretRef: string | null = 'env:CALLBACK_SECRET',
): Callbacks {
  const http = new HttpClient();
  const outbox = new Outbox({
    store: new MemoryOutboxStore(),
    team: 't',
    http,
    allowedHosts,
    clock: new HandClock(),
    report: () => {},
  });
  outbox.start();
  onTestFinished(async () => {
    await outbox.close();
    await http.close();
  });
  return new Callbacks({ outbox, secretRef });
}

test.each([
  ['of another host', 'https://elsewhere.example/hook'],
  ['of the metadata service', 'http://169.254.169.254/latest'],
  ['of another scheme', 'file:///etc/passwd'],
])('a callback_url to a forbidden address is refused: one %s', (_, url) => {
  const callbacks = openCallbacks(['hooks.example', '169.254.169.254']);
  const errors = [expect.objectContaining({ pointer: '/callback_url' })];
  expect(() => callbacks.check(url)).toThrow(expect.objectContaining({ code: 'ADDRESS_FORBIDDEN', errors }));
  expect(() => callbacks.check('https://hooks.example/hook')).not.toThrow();
});

test('a callback_url is refused where there is nothing to sign with', () => {
  const callbacks = openCallbacks(['hooks.example'], null);
  expect(() => callbacks.check('https://hooks.example/hook')).toThrow(/REACH_WEBHOOK_SECRET/);
});

test('the end of a request is told once, in the form in which it can be asked for', async () => {
  const { url, host, received } = await receiver();
  const callbacks = openCallbacks([host]);
  expect(await callbacks.find(ended)).toBeUndefined();
  await Promise.all([callbacks.tellEnd(url, ended), callbacks.tellEnd(url, ended)]);
  await until(async () => (await callbacks.find(ended))?.state === 'taken');
  expect(await callbacks.find(ended)).toEqual({ state: 'taken', attempts: 1, lastError: null });
  expect(received).toHaveLength(1);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
    request_id: 'order-1',
    state: 'cancelled',
    accepted_at: ended.acceptedAt,
    callback: null,
  });
});

test('an id that comes again for another request is told again', async () => {
  const { url, host, received } = await receiver();
  const callbacks = openCallbacks([host]);
  const again = { ...ended, acceptedAt: '2026-01-04T03:04:05.678Z' };
  await callbacks.tellEnd(url, ended);
  await callbacks.tellEnd(url, again);
  await until(() => received.length === 2);
});
