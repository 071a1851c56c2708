import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import { standInReach } from '../support/stand-in-reach.js';
import { captured } from './captured.js';

async function server() {
  const reach = standInReach();
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return { reach, url: door.address };
}

const at = '2026-01-02T03:04:05.678Z';
const round = { at, intent: '订单\u001b[2J到哪了', agentName: 'orders-agent', capabilityId: 'order-status' };

test('sessions lists what a server remembers, and shows one with what was said', async () => {
  const { reach, url } = await server();
  const affinity = { agentName: 'orders-agent', version: '2.1' };
  const rounds = [
    { ...round, reply: '已发货' },
    { ...round, agentName: null, capabilityId: null, reply: null },
  ];
  await reach.saveSession('chat-1', { intent: '订单到哪了', rounds, affinity, entities: { order: 7 } }, 0);

  const list = await captured(['sessions', '--url', url]);
  expect(list).toMatchObject({ code: 0, err: '' });
  expect(list.out).toMatch(/^session +kind +user +revision +changed +kept until +intent\n/);
  expect(list.out).toMatch(/\nchat-1 +chat +- +1 +.* +订单到哪了\n$/);

  const time = new Date(at).toLocaleTimeString('sv-SE');
  const one = await captured(['sessions', 'chat-1', '--url', url]);
  expect(one.out.split('\n').slice(1)).toEqual([
    'stays with orders-agent 2.1',
    expect.stringMatching(new RegExp(`^${time}  订单.*到哪了  -> orders-agent/order-status$`)),
    '          已发货',
    expect.stringMatching(/ {2}-> nobody$/),
    'entities: {',
    '  "order": 7',
    '}',
    '',
  ]);
  expect(one.out).not.toContain('\u001b');
  const json = await captured(['sessions', 'chat-1', '--json', '--url', url]);
  expect(JSON.parse(json.out)).toMatchObject({
    session_id: 'chat-1',
    affinity: { agent_name: 'orders-agent' },
  });
});

test('sessions says where there is none', async () => {
  const { url } = await server();
  expect((await captured(['sessions', '--url', url])).out).toBe('no sessions\n');
  expect(await captured(['sessions', 'x', '--url', url])).toMatchObject({
    code: 1,
    err: expect.stringContaining('No session x is kept'),
  });
});
