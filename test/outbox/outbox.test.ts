import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import { ReachError } from '../../src/errors.js';
import { HttpClient } from '../../src/net/http-client.js';
import type { OutboxMessage } from '../../src/outbox/message.js';
import { Outbox } from '../../src/outbox/outbox.js';
import type { OutboxStore } from '../../src/outbox/outbox-store.js';
import { MemoryOutboxStore } from '../../src/storage/memory/outbox-store.js';
import { openStores } from '../../src/storage/open-stores.js';
import { RedisOutboxStore } from '../../src/storage/redis/outbox-store.js';
import { HandClock } from '../support/hand-clock.js';
import { describeWithRedis, replicaLinks } from '../support/redis.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';
import { answering, receiver } from './receiver.js';

process.env.OUTBOX_SECRET = `whsec_${Buffer.from('a secret of twenty-four').toString('base64')}`;

const SCHEDULE_MS = [5_000, 30_000, 120_000, 600_000, 1_800_000, 3_600_000, 7_200_000];

function openOutbox<Time extends Clock = HandClock>(
  allowedHosts: readonly string[],
  { clock = new HandClock() as Clock as Time, store = new MemoryOutboxStore() as OutboxStore } = {},
) {
  const http = new HttpClient();
  const reports: string[] = [];
  const report = (sentence: string) => reports.push(sentence);
  const outbox = new Outbox({ store, team: 't', http, allowedHosts, clock, report, random: () => 0.5 });
  outbox.start();
  const close = async () => {
    await outbox.close();
    await http.close();
  };
  onTestFinished(close);
  return { outbox, clock, reports, close };
}

const messageTo = (url: string, more: Partial<OutboxMessage> = {}): OutboxMessage => ({
  messageId: 'msg_1',
  url,
  form: 'signed',
  body: '{"text":"周报"}',
  secretRef: 'env:OUTBOX_SECRET',
  ...more,
});

const stateOf = async (outbox: Outbox, messageId = 'msg_1') => (await outbox.find(messageId))?.state;

/** Tells when it has answered the last question of a look. */
class LookedAtStore extends MemoryOutboxStore {
  onLooked = () => {};

  override async nextDueAt(...asked: Parameters<OutboxStore['nextDueAt']>): Promise<number | undefined> {
    this.onLooked();
    return super.nextDueAt(...asked);
  }
}

describe('a message', () => {
  test.each(Array.from({ length: 12 }, (_, turns) => turns))(
    'that comes %i turns after the last question of a look is sent without waiting for the next one',
    async (turns) => {
      const { url, host } = await receiver();
      const store = new LookedAtStore();
      const sent = new Promise<void>((resolve, reject) => {
        store.onLooked = async () => {
          store.onLooked = () => {};
          for (let turn = 0; turn < turns; turn += 1) await undefined;
          outbox.send(messageTo(url)).then(resolve, reject);
        };
      });
      const { outbox } = openOutbox([host], { store });
      await sent;
      await until(async () => (await stateOf(outbox)) === 'taken');
    },
  );

  test('is taken at once, signed as Standard Webhooks says', async () => {
    const { url, host, received } = await receiver();
    const { outbox, clock } = openOutbox([host]);
    clock.pass(1_700_000_000_999);
    await outbox.send(messageTo(url));
    await until(async () => (await stateOf(outbox)) === 'taken');

    const [first] = received;
    const text = `msg_1.1700000000.${first?.body}`;
    const signature = createHmac('sha256', 'a secret of twenty-four').update(text).digest('base64');
    expect(first?.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'webhook-id': 'msg_1',
      'webhook-timestamp': '1700000000',
      'webhook-signature': `v1,${signature}`,
    });
    expect(first?.body).toBe('{"text":"周报"}');
    expect(await outbox.find('msg_1')).toEqual({ state: 'taken', attempts: 1, lastError: null });
  });

  test('that was answered 500, then 200, is sent twice under the same id', async () => {
    const { url, host, received } = await receiver(answering(500), answering(200));
    const { outbox, clock } = openOutbox([host]);
    await outbox.send(messageTo(url));
    await until(async () => (await outbox.find('msg_1'))?.attempts === 1);
    expect(await outbox.find('msg_1')).toEqual({
      state: 'waiting',
      attempts: 1,
      lastError: 'answered 500',
    });
    await until(() => clock.delays.some((delayMs) => delayMs <= 5_000));
    clock.pass(5_000);
    await until(async () => (await stateOf(outbox)) === 'taken');
    expect(received.map(({ headers }) => headers['webhook-id'])).toEqual(['msg_1', 'msg_1']);
    expect(received[1]?.headers['webhook-timestamp']).toBe('5');
  });

  test('that nobody ever takes is tried after each delay of the schedule, then given up', async () => {
    const { url, host, received } = await receiver(answering(503));
    const { outbox, clock, reports } = openOutbox([host]);
    await outbox.send(messageTo(url));
    for (const [index, delayMs] of SCHEDULE_MS.entries()) {
      await until(async () => (await outbox.find('msg_1'))?.attempts === index + 1);
      clock.pass(delayMs - 1);
      await outbox.send(messageTo(url));
      expect(received).toHaveLength(index + 1);
      clock.pass(1);
      await outbox.send(messageTo(url));
    }
    await until(async () => (await stateOf(outbox)) === 'given_up');
    expect(received).toHaveLength(SCHEDULE_MS.length + 1);
    expect(await outbox.find('msg_1')).toEqual({ state: 'given_up', attempts: 8, lastError: 'answered 503' });
    expect(reports).toEqual([`A message to ${host} is given up after 8 attempts: answered 503.`]);
  });

  test('that is answered 410 is not sent again', async () => {
    const { url, host, received } = await receiver(answering(410));
    const { outbox } = openOutbox([host]);
    await outbox.send(messageTo(url));
    await until(async () => (await stateOf(outbox)) === 'given_up');
    expect(received).toHaveLength(1);
    expect((await outbox.find('msg_1'))?.attempts).toBe(1);
  });

  test('follows no redirect', async () => {
    const elsewhere = await receiver();
    const { url, host } = await receiver(answering(302, '', { location: elsewhere.url }));
    const { outbox } = openOutbox([host, elsewhere.host]);
    await outbox.send(messageTo(url));
    await until(async () => (await outbox.find('msg_1'))?.lastError === 'answered 302');
    expect(elsewhere.received).toEqual([]);
  });

  test('is taken by a 2xx whose body never ends: no more than a little of an answer is read', async () => {
    const { url, host } = await receiver((response) => {
      response.writeHead(200);
      const more = () => response.write('x'.repeat(100_000), (error) => error || more());
      more();
    });
    const { outbox } = openOutbox([host]);
    await outbox.send(messageTo(url));
    await until(async () => (await stateOf(outbox)) === 'taken');
  });

  test('is sent once, however often it is given', async () => {
    const { url, host, received } = await receiver();
    const { outbox } = openOutbox([host]);
    await Promise.all(Array.from({ length: 20 }, () => outbox.send(messageTo(url))));
    await until(async () => (await stateOf(outbox)) === 'taken');
    await outbox.send(messageTo(url));
    await outbox.close();
    expect(received).toHaveLength(1);
  });

  test('without a secret that can be read is not sent; which one it is is for the log alone, and told once', async () => {
    const { url, host, received } = await receiver();
    const { outbox, reports } = openOutbox([host]);
    for (const messageId of ['msg_1', 'msg_2']) {
      await outbox.send(messageTo(url, { messageId, secretRef: 'env:OUTBOX_NO_SUCH_SECRET' }));
      await until(async () => (await outbox.find(messageId))?.attempts === 1);
      expect((await outbox.find(messageId))?.lastError).toBe('the service cannot sign it');
    }
    expect(received).toEqual([]);
    expect(reports).toEqual(['A message cannot be sent: The secret env:OUTBOX_NO_SUCH_SECRET is not set.']);
  });
});

describe('an address', () => {
  test('that is not allowed is refused, and not called either where it was allowed before', async () => {
    const { url, received } = await receiver();
    const { outbox } = openOutbox(['hooks.example.com']);
    expect(() => outbox.check(url)).toThrow(expect.objectContaining({ code: 'ADDRESS_FORBIDDEN' }));
    await outbox.send(messageTo(url));
    await until(async () => (await outbox.find('msg_1'))?.attempts === 1);
    expect((await outbox.find('msg_1'))?.lastError).toContain('REACH_ALLOWED_HOSTS');
    expect(received).toEqual([]);
  });
});

test('a receiver that hangs has 10 s, and keeps no message to others waiting', {
  timeout: 60_000,
}, async () => {
  const hanging = await receiver(() => {});
  const { url, host } = await receiver();
  const { outbox } = openOutbox([hanging.host, host]);
  for (let index = 0; index < 100; index += 1) {
    await outbox.send(messageTo(hanging.url, { messageId: `hangs_${index}` }));
  }
  await outbox.send(messageTo(url));
  const start = performance.now();
  await until(async () => (await stateOf(outbox)) === 'taken');
  expect(performance.now() - start).toBeLessThan(9_000);
  await until(async () => (await outbox.find('hangs_0'))?.attempts === 1);
  expect((await outbox.find('hangs_0'))?.lastError).toBe('no whole answer within 10000 ms');
  await hanging.stop();
});

test('what waits goes on after a restart, when it is due', async () => {
  const { url, host, received } = await receiver(answering(500), answering(200));
  const folder = join(await temporaryFolder(), 'data');
  const clock = new HandClock();

  const before = await openStores({ store: null, data: folder });
  const first = openOutbox([host], { clock, store: before.outbox });
  await first.outbox.send(messageTo(url));
  await until(async () => (await first.outbox.find('msg_1'))?.attempts === 1);
  await first.close();
  await before.close();

  const after = await openStores({ store: null, data: folder });
  onTestFinished(() => after.close());
  const second = openOutbox([host], { clock, store: after.outbox });
  await until(() => clock.delays.some((delayMs) => delayMs <= 5_000));
  expect(received).toHaveLength(1);
  clock.pass(5_000);
  await until(async () => (await stateOf(second.outbox)) === 'taken');
  expect(received.map(({ body }) => body)).toEqual(['{"text":"周报"}', '{"text":"周报"}']);
  await second.close();
});

test('a close does not wait for a receiver that hangs, and sends again at once after the start', async () => {
  const { url, host, received } = await receiver(
    () => {},
    (response) => response.end(),
  );
  const clock = new HandClock();
  const store = new MemoryOutboxStore();
  const first = openOutbox([host], { clock, store });
  await first.outbox.send(messageTo(url));
  await until(() => received.length === 1);
  const start = performance.now();
  await first.close();
  expect(performance.now() - start).toBeLessThan(5_000);
  expect(await store.find('t', 'msg_1')).toEqual({ state: 'waiting', attempts: 0, lastError: null });
  const second = openOutbox([host], { clock, store });
  await until(async () => (await stateOf(second.outbox)) === 'taken');
});

test('a message that was taken by a process which died is sent again', async () => {
  const { url, host, received } = await receiver();
  const clock = new HandClock();
  const store = new MemoryOutboxStore();
  await store.add('t', messageTo(url), 0, { messages: 1, chars: 1_000 });
  await store.take('t', 0, 30_000, []);
  const { outbox } = openOutbox([host], { clock, store });
  await until(() => clock.delays.includes(30_000));
  expect(received).toEqual([]);
  clock.pass(30_000);
  await until(async () => (await stateOf(outbox)) === 'taken');
  expect(received).toHaveLength(1);
});

test('a store that was away is asked again soon', async () => {
  const { url, host, received } = await receiver();
  const store = new MemoryOutboxStore();
  await store.add('t', messageTo(url), 0, { messages: 1, chars: 1_000 });
  vi.spyOn(store, 'take').mockRejectedValueOnce(new ReachError('STORE_UNAVAILABLE', 'Redis is away.'));
  const { outbox, clock, reports } = openOutbox([host], { store });
  await until(() => outbox.status().state === 'degraded');
  expect(reports).toEqual(['Messages cannot be sent: Redis is away.']);
  await until(() => clock.delays.includes(2_000));
  clock.pass(2_000);
  await until(async () => (await stateOf(outbox)) === 'taken');
  await until(() => outbox.status().state === 'ok');
  expect(received).toHaveLength(1);
});

describeWithRedis('messages of two replicas', () => {
  test('are sent by one of them each', async () => {
    const { url, host, received } = await receiver();
    const links = await replicaLinks(2);
    const outboxes = links.map(
      (link) => openOutbox([host], { clock: systemClock, store: new RedisOutboxStore(link) }).outbox,
    );
    const ids = Array.from({ length: 100 }, (_, index) => `msg_${index}`);
    await Promise.all(
      ids.map((messageId, index) => outboxes[index % 2]?.send(messageTo(url, { messageId }))),
    );
    await until(async () => {
      const states = await Promise.all(ids.map((id) => outboxes[0]?.find(id)));
      return states.every((delivery) => delivery?.state === 'taken');
    });
    expect(received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(ids.toSorted());
  });
});

describe('the robots of platforms', () => {
  test('Feishu gets time and signature in the body, and takes what it answers with code 0', async () => {
    const { url, host, received } = await receiver(answering(200, '{"code":0,"msg":"success"}'));
    const { outbox, clock } = openOutbox([host]);
    clock.pass(1_600_000_000_500);
    process.env.ROBOT_SECRET = 'robot';
    await outbox.send(
      messageTo(url, { form: 'feishu', body: '{"msg_type":"post"}', secretRef: 'env:ROBOT_SECRET' }),
    );
    await until(async () => (await stateOf(outbox)) === 'taken');
    const sign = createHmac('sha256', '1600000000\nrobot').digest('base64');
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ timestamp: '1600000000', sign, msg_type: 'post' });
    expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  test('DingTalk gets time and signature in the URL, beside what stands there', async () => {
    const { url, host, received } = await receiver(answering(200, '{"errcode":0,"errmsg":"ok"}'));
    const { outbox, clock } = openOutbox([host]);
    clock.pass(1_600_000_000_500);
    process.env.ROBOT_SECRET = 'robot';
    const form = { form: 'dingtalk', secretRef: 'env:ROBOT_SECRET' } as const;
    await outbox.send(messageTo(`${url}?access_token=abc`, form));
    await until(async () => (await stateOf(outbox)) === 'taken');
    const sign = createHmac('sha256', 'robot').update('1600000000500\nrobot').digest('base64');
    const { searchParams } = new URL(received[0]?.url ?? '', url);
    expect(Object.fromEntries(searchParams)).toEqual({
      access_token: 'abc',
      timestamp: '1600000000500',
      sign,
    });
  });

  test.each([
    ['feishu', '{"code":19021,"msg":"sign match fail"}', 'feishu refused it with code 19021'],
    ['dingtalk', '{"errcode":310000,"errmsg":"keywords"}', 'dingtalk refused it with errcode 310000'],
    ['dingtalk', '<html>', 'the answer of dingtalk is no JSON'],
    ['feishu', '[]', 'feishu told no code'],
  ] as const)('%s may refuse with a 200: %s', async (form, body, lastError) => {
    const { url, host } = await receiver(answering(200, body));
    const { outbox } = openOutbox([host]);
    await outbox.send(messageTo(url, { form, secretRef: undefined }));
    await until(async () => (await outbox.find('msg_1'))?.attempts === 1);
    expect(await outbox.find('msg_1')).toEqual({ state: 'waiting', attempts: 1, lastError });
  });

  test('Slack gets what it was written', async () => {
    const { url, host, received } = await receiver(answering(200, 'ok'));
    const { outbox } = openOutbox([host]);
    await outbox.send(messageTo(url, { form: 'slack', secretRef: undefined }));
    await until(async () => (await stateOf(outbox)) === 'taken');
    expect(received[0]?.body).toBe('{"text":"周报"}');
  });
});
