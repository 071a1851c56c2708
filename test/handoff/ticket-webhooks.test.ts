import { createHmac } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { TicketWebhooks } from '../../src/handoff/ticket-webhooks.js';
import { HttpClient } from '../../src/net/http-client.js';
import { Outbox } from '../../src/outbox/outbox.js';
import type { TicketWebhook } from '../../src/settings.js';
import { MemoryOutboxStore } from '../../src/storage/memory/outbox-store.js';
import { answering, receiver } from '../outbox/receiver.js';
import { HandClock } from '../support/hand-clock.js';
import { until } from '../support/until.js';
import { storedTicket } from './stored-ticket.js';

process.env.TICKET_SECRET = 'ticket secret';
process.env.TICKET_ROBOT_SECRET = 'robot';

function openWebhooks(
  webhooks: readonly TicketWebhook[],
  allowedHosts: readonly string[],
  secretRef: string | null = 'env:TICKET_SECRET',
) {
  const http = new HttpClient();
  const clock = new HandClock();
  const store = new MemoryOutboxStore();
  const report = () => {};
  const outbox = new Outbox({ store, team: 't', http, allowedHosts, clock, report });
  outbox.start();
  onTestFinished(async () => {
    await outbox.close();
    await http.close();
  });
  return new TicketWebhooks({ webhooks, outbox, secretRef, clock, report });
}

test('all webhooks are told once of each news, each in its form', async () => {
  const json = await receiver();
  const slack = await receiver(answering(200, 'ok'));
  const dingtalk = await receiver(answering(200, '{"errcode":0}'));
  const webhooks = openWebhooks(
    [
      { kind: 'json', url: json.url },
      { kind: 'slack', url: slack.url },
      { kind: 'dingtalk', url: `${dingtalk.url}?access_token=a`, secretRef: 'env:TICKET_ROBOT_SECRET' },
    ],
    [json.host, slack.host, dingtalk.host],
  );
  const ticket = storedTicket('tk_1');
  await webhooks.tell('opened', ticket);
  await webhooks.tell('opened', ticket);
  await webhooks.tell('returned', { ...ticket, revision: 2 });
  await until(() => [json, slack, dingtalk].every(({ received }) => received.length === 2));

  const [first] = json.received;
  const headers = first?.headers ?? {};
  expect(JSON.parse(first?.body ?? '')).toMatchObject({ ticket_id: 'tk_1', state: 'open', count: 1 });
  const text = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${first?.body}`;
  const signature = createHmac('sha256', 'ticket secret').update(text).digest('base64');
  expect(headers['webhook-signature']).toBe(`v1,${signature}`);
  expect(slack.received[0]?.body).toContain('A person is needed');
  expect(slack.received[0]?.headers).not.toHaveProperty('webhook-signature');
  expect(dingtalk.received[0]?.url).toMatch(/access_token=a&timestamp=0&sign=/);
});

test.each([
  ['a host that is not allowed', [{ kind: 'slack', url: 'https://hooks.slack.com/x' }], 'env:TICKET_SECRET'],
  [
    'an address that may never be called',
    [{ kind: 'json', url: 'http://169.254.169.254/x' }],
    'env:TICKET_SECRET',
  ],
  ['JSON without a secret to sign with', [{ kind: 'json', url: 'https://hooks.example.com/x' }], null],
] as const)('a webhook is refused at the start: %s', (_, webhooks, secretRef) => {
  expect(() => openWebhooks(webhooks, ['hooks.example.com', '169.254.169.254'], secretRef)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID' }),
  );
});
