import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/http/http-app.js';
import { startHttp } from '../../src/http/server.js';
import { WorkGate } from '../../src/http/work-gate.js';
import { ChangeStream } from '../../src/live/change-stream.js';
import { DecisionStream } from '../../src/live/decision-stream.js';
import type { Reach } from '../../src/reach.js';
import { HandClock } from '../support/hand-clock.js';
import { decision, standInReach } from '../support/stand-in-reach.js';
import { openStream } from '../support/stream-reader.js';
import { until } from '../support/until.js';

const silent = pino({ level: 'silent' });

/** A façade whose streams are the real ones. */
function liveReach() {
  const clock = new HandClock();
  const changes = new ChangeStream(clock);
  const decisions = new DecisionStream();
  const signals: AbortSignal[] = [];
  const reach: Reach = {
    ...standInReach(),
    changes(filter = {}, options = {}) {
      if (options.signal) signals.push(options.signal);
      return changes.follow(filter, options);
    },
    watch: (_, { signal } = {}) => decisions.watch(undefined, signal),
  };
  const add = (instanceId: string) => {
    changes.add({
      ...{ atMs: 0, agentName: 'reports', instanceId, from: null, to: 'up', reason: 'new', addrVersion: 4 },
    });
    clock.pass(250);
  };
  const decide = (routeId: string) =>
    decisions.decided({
      atMs: 0,
      request: { intent: 'a\nreport\u2028', payload: { weekNumber: 1 } },
      decision: { ...decision, routeId },
    });
  const isWatched = () => decisions.wantsExplained({ intent: 'x' });
  return { reach, changes, add, decide, isWatched, signals };
}

async function served(reach: Reach) {
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, silent);
  onTestFinished(() => door.close());
  return door;
}

test('late joiners that see nothing for long: the headers and where to go on come at once, and the next change as it happens', async () => {
  const { reach, add } = liveReach();
  const { address } = await served(reach);
  const reader = await openStream(`${address}/api/v1/changes`);
  expect(reader.head).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(reader.head).toMatch(/content-type: text\/event-stream\r\n/i);
  expect(reader.head).toMatch(/cache-control: no-store\r\n/i);
  expect(await reader.next('any')).toEqual({
    event: 'message',
    id: expect.stringMatching(/-0$/),
    retryMs: 2_000,
    data: undefined,
  });
  add('a');
  const told = await reader.next();
  expect(told).toMatchObject({ event: 'change', id: expect.stringMatching(/-1$/) });
  expect(JSON.parse(told?.data ?? '')).toEqual({
    seq: 1,
    at: '1970-01-01T00:00:00.000Z',
    agent: 'reports',
    instance: 'a',
    from: null,
    to: 'up',
    reason: 'new',
    addr_version: 4,
  });
});

test('last-event-id goes on where the connection broke, and tells a gap after a restart', async () => {
  const { reach, add } = liveReach();
  const { address } = await served(reach);
  const first = await openStream(`${address}/api/v1/changes`);
  const opening = await first.next('any');
  first.leave();
  add('a');
  add('b');
  const resume = { 'last-event-id': opening?.id ?? '' };
  const resumed = await openStream(`${address}/api/v1/changes`, resume);
  expect((await resumed.next())?.data).toContain('"instance":"a"');
  expect((await resumed.next())?.data).toContain('"instance":"b"');

  const restarted = await openStream(`${address}/api/v1/changes`, { 'last-event-id': '0badcafe-17' });
  expect(await restarted.next()).toMatchObject({ event: 'gap', data: '{"from_seq":null,"to_seq":0}' });
  expect((await restarted.next())?.data).toContain('"instance":"a"');
});

test('the query filters, and is checked', async () => {
  const { reach, add } = liveReach();
  const { address } = await served(reach);
  const others = await openStream(`${address}/api/v1/changes?agent=orders`, { 'last-event-id': 'x-1' });
  add('a');
  expect(await others.next()).toMatchObject({ event: 'gap' });
  expect((await fetch(`${address}/api/v1/changes?agents=orders`)).status).toBe(422);
  expect((await fetch(`${address}/api/v1/watch?intent_pattern=`)).status).toBe(422);
});

test('a decision is one line of data, whatever its texts hold', async () => {
  const { reach, decide } = liveReach();
  const { address } = await served(reach);
  const reader = await openStream(`${address}/api/v1/watch`);
  decide('rt_7');
  const told = await reader.next();
  expect(told).toMatchObject({ event: 'decision', id: undefined });
  expect(JSON.parse(told?.data ?? '')).toMatchObject({
    route_id: 'rt_7',
    intent: 'a\nreport\u2028',
    payload_fields: { weekNumber: 'integer' },
    candidates: [{ agent_name: 'report-agent' }, { excluded_by: 'a lower confidence' }],
  });
});

test('a caller that goes away leaves nothing behind', async () => {
  const { reach, changes, isWatched, signals } = liveReach();
  const { address } = await served(reach);
  const [watcher, follower] = [
    await openStream(`${address}/api/v1/watch`),
    await openStream(`${address}/api/v1/changes`),
  ];
  expect(isWatched()).toBe(true);
  watcher.leave();
  follower.leave();
  await until(() => !isWatched() && signals.every(({ aborted }) => aborted));
  // Followers are bounded: there is room for as many as ever.
  for (let i = 0; i < 1_000; i += 1) changes.follow({});
});

test('HEAD of a stream is answered, and follows nothing', async () => {
  const { reach, isWatched } = liveReach();
  const { address } = await served(reach);
  const answer = await fetch(`${address}/api/v1/watch`, { method: 'HEAD' });
  expect(answer.status).toBe(200);
  expect(isWatched()).toBe(false);
});

test('closing ends each stream in order', async () => {
  const { reach, decide } = liveReach();
  const door = await served(reach);
  const reader = await openStream(`${door.address}/api/v1/watch`);
  decide('rt_1');
  expect(await reader.next()).toMatchObject({ event: 'decision' });
  const end = reader.next();
  await door.close();
  expect(await end).toBeUndefined();
});

test('a reader that never reads does not keep the door open', async () => {
  const { reach, decide, isWatched } = liveReach();
  const door = await served(reach);
  await openStream(`${door.address}/api/v1/watch`);
  // More than the buffers between us take, one by one as the socket takes them.
  for (let i = 0; i < 20_000; i += 1) {
    decide(`rt_${i}`);
    if (i % 100 === 0) await new Promise(setImmediate);
  }
  await door.close();
  expect(isWatched()).toBe(false);
});

test('what is refused is a problem, not a stream', async () => {
  const { reach } = liveReach();
  const app = await createHttpApp(reach, new WorkGate(), silent);
  onTestFinished(() => app.close());
  for (let i = 0; i < 1_000; i += 1) reach.changes();
  const answer = await app.inject('/api/v1/changes');
  expect(answer.statusCode).toBe(503);
  expect(answer.json()).toMatchObject({ code: 'OVERLOADED' });
});
