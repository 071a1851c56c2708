import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { StateChange } from '../../src/health/state-change.js';
import { ChangeStream } from '../../src/live/change-stream.js';
import { eventsOf } from '../support/events-of.js';
import { HandClock } from '../support/hand-clock.js';
import { TestCatalogue } from '../support/test-catalogue.js';

const WINDOW_MS = 250;
const KEPT = 10_000;

function streamed() {
  const clock = new HandClock();
  const catalogue = new TestCatalogue();
  const stream = new ChangeStream(clock);
  catalogue.follow(stream);
  const add = (agentName: string, to: StateChange['to'], more: Partial<StateChange> = {}) =>
    stream.add({
      atMs: clock.now(),
      agentName,
      instanceId: 'a',
      from: null,
      to,
      reason: 'it is said so',
      addrVersion: 1,
      ...more,
    });
  /** As many changes of instances of their own, all of which are told. */
  const addMany = (count: number, prefix = 'i') => {
    for (let i = 0; i < count; i += 1) add('many', 'up', { instanceId: `${prefix}${i}` });
    clock.pass(WINDOW_MS);
  };
  return { clock, catalogue, stream, add, addMany };
}

const seqsOf = (events: readonly { data: object }[]) =>
  events.map(({ data }) => ('seq' in data ? data.seq : undefined));

test('a change is told when its window ends, numbered and with the id that resumes after it', async () => {
  const { clock, stream, add } = streamed();
  const changes = stream.follow({});
  clock.pass(1_000);
  add('reports', 'up');
  const next = eventsOf(changes, 1);
  clock.pass(WINDOW_MS);
  const [event] = await next;
  expect(event).toEqual({
    event: 'change',
    id: expect.stringMatching(/^[0-9a-f]{8}-1$/),
    data: {
      seq: 1,
      at: '1970-01-01T00:00:01.000Z',
      agent: 'reports',
      instance: 'a',
      from: null,
      to: 'up',
      reason: 'it is said so',
      addrVersion: 1,
    },
  });
  expect(changes.lastEventId).toBe(event?.id);
});

test('hundreds of instances that flap have one timer, and at most four changes a second each', async () => {
  const { clock, stream, add } = streamed();
  const changes = stream.follow({});
  for (let ms = 0; ms < 1_000; ms += 10) {
    for (let i = 0; i < 300; i += 1) {
      const [from, to] = (ms / 10) % 2 === 0 ? (['up', 'down'] as const) : (['down', 'up'] as const);
      add('flapping', to, { instanceId: `i${i}`, from });
    }
    expect(clock.delays).toEqual([WINDOW_MS]);
    clock.pass(10);
  }
  clock.pass(WINDOW_MS);
  expect(clock.delays).toEqual([]);
  stream.notify('the end');
  const told: unknown[] = [];
  for await (const { data } of changes) {
    if ('agent' in data && data.agent === null) break;
    told.push(data);
  }
  expect(told.length).toBeLessThanOrEqual(300 * 4);
});

test('late joiners that see nothing for long: a follower that comes late sees the next change, and no table of all', async () => {
  const { clock, stream, add, addMany } = streamed();
  addMany(100);
  const late = stream.follow({});
  add('reports', 'down', { from: 'up' });
  clock.pass(WINDOW_MS);
  expect(seqsOf(await eventsOf(late, 1))).toEqual([101]);
});

test('a follower that comes back is told what it missed, also where it was told nothing before', async () => {
  const { stream, addMany } = streamed();
  const { lastEventId } = stream.follow({});
  addMany(3);
  const resumed = stream.follow({}, { lastEventId });
  const events = await eventsOf(resumed, 2);
  expect(seqsOf(events)).toEqual([1, 2]);
  expect(seqsOf(await eventsOf(stream.follow({}, { lastEventId: events[1]?.id ?? '' }), 1))).toEqual([3]);
});

test('what is no longer kept is a gap, once', async () => {
  const { stream, addMany } = streamed();
  const { lastEventId } = stream.follow({});
  addMany(KEPT + 7);
  const [gap, first] = await eventsOf(stream.follow({}, { lastEventId }), 2);
  expect(gap).toEqual({
    event: 'gap',
    id: expect.stringMatching(/-7$/),
    data: { fromSeq: 1, toSeq: 7 },
  });
  expect(first?.data).toMatchObject({ seq: 8 });
  expect(seqsOf(await eventsOf(stream.follow({}, { lastEventId: gap?.id ?? '' }), 1))).toEqual([8]);
});

test('a follower that is too slow finds a gap, and the others do not', async () => {
  const { stream, addMany } = streamed();
  const [slow, fast] = [stream.follow({}), stream.follow({})];
  addMany(1, 'first');
  await eventsOf(slow, 1);
  for (let round = 0; round < 3; round += 1) {
    addMany(KEPT / 2, `${round}-`);
    expect((await eventsOf(fast, KEPT / 2)).every(({ event }) => event === 'change')).toBe(true);
  }
  expect((await eventsOf(slow, 1))[0]?.data).toEqual({ fromSeq: 2, toSeq: KEPT / 2 + 1 });
});

test.each([
  ['a restart of ours', '00c0ffee-5'],
  ['an id that nobody gave', 'nonsense'],
  ['a number yet to come', undefined],
])('after %s the gap has no beginning, and what happened in this run follows', async (_, given) => {
  const { stream, addMany } = streamed();
  const lastEventId = given ?? stream.follow({}).lastEventId.replace(/0$/, '99');
  addMany(2);
  const [gap, ...rest] = await eventsOf(stream.follow({}, { lastEventId }), 3);
  expect(gap).toMatchObject({ event: 'gap', data: { fromSeq: null, toSeq: 0 } });
  expect(seqsOf(rest)).toEqual([1, 2]);
});

test('a filter lets through the changes of an agent, or of those that have a capability', async () => {
  const { clock, catalogue, stream, add } = streamed();
  catalogue.publish({ agentName: 'reports', capabilities: [{ id: 'weekly' }] });
  catalogue.publish({ agentName: 'sheets', capabilities: [{ id: 'pivot' }, { id: 'weekly' }] });
  const agentsOf = async (filter: Parameters<ChangeStream['follow']>[0], lastEventId: string) => {
    const agents: unknown[] = [];
    for await (const { data } of stream.follow(filter, { lastEventId })) {
      if ('agent' in data && data.agent === null) break;
      agents.push('agent' in data && data.agent);
    }
    return agents;
  };
  const { lastEventId } = stream.follow({});
  for (const name of ['reports', 'sheets', 'orders']) add(name, 'up');
  clock.pass(WINDOW_MS);
  stream.notify('the end');
  expect(await agentsOf({}, lastEventId)).toEqual(['reports', 'sheets', 'orders']);
  expect(await agentsOf({ agent: 'orders' }, lastEventId)).toEqual(['orders']);
  expect(await agentsOf({ capability: 'weekly' }, lastEventId)).toEqual(['reports', 'sheets']);
  expect(await agentsOf({ capability: 'sheets/weekly' }, lastEventId)).toEqual(['sheets']);
  expect(await agentsOf({ agent: 'reports', capability: 'pivot' }, lastEventId)).toEqual([]);
});

test('who follows a capability is told that the instances of a removed agent went', async () => {
  const { clock, catalogue, stream, add } = streamed();
  catalogue.publish({ agentName: 'reports', capabilities: [{ id: 'weekly' }] });
  const changes = stream.follow({ capability: 'weekly' });
  catalogue.remove('reports');
  add('reports', null, { from: 'up', reason: 'removed' });
  clock.pass(WINDOW_MS);
  expect((await eventsOf(changes, 1))[0]?.data).toMatchObject({ agent: 'reports', to: null });
  expect(clock.delays).toEqual([]);
});

test('half of a fleet ejected with nobody told: a notice about the service reaches every follower at once, behind what was before it', async () => {
  const { stream, add } = streamed();
  const changes = stream.follow({ agent: 'reports' });
  add('reports', 'up');
  stream.notify('probes fail everywhere: taken for a fault of ours');
  const [before, notice] = await eventsOf(changes, 2);
  expect(before?.data).toMatchObject({ seq: 1, agent: 'reports' });
  expect(notice).toMatchObject({
    event: 'change',
    data: {
      seq: 2,
      agent: null,
      instance: null,
      from: null,
      to: null,
      addrVersion: null,
      reason: 'probes fail everywhere: taken for a fault of ours',
    },
  });
});

test('a loop ends by its signal and when the stream closes, and nothing is left behind', async () => {
  const { clock, stream, add } = streamed();
  const stop = new AbortController();
  const loop = async (signal?: AbortSignal) => {
    let count = 0;
    for await (const _ of stream.follow({}, signal && { signal })) count += 1;
    return count;
  };
  const [bySignal, byClose] = [loop(stop.signal), loop()];
  await new Promise(setImmediate);
  stop.abort();
  expect(await bySignal).toBe(0);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  expect(await loop(AbortSignal.abort())).toBe(0);
  add('reports', 'up');
  stream.close();
  expect(await byClose).toBe(0);
  expect(clock.delays).toEqual([]);
});

test('followers are bounded in number, and those that have left make room', () => {
  const { stream } = streamed();
  const stop = new AbortController();
  for (let i = 0; i < 999; i += 1) stream.follow({});
  stream.follow({}, { signal: stop.signal });
  expect(() => stream.follow({})).toThrow(expect.objectContaining({ code: 'OVERLOADED' }));
  stop.abort();
  expect(() => stream.follow({})).not.toThrow();
});
