import { expect, onTestFinished, test } from 'vitest';
import { createReach, type ReachOptions, type Service, serve } from '../../src/app.js';
import { receiver } from '../outbox/receiver.js';
import { temporaryFolder } from '../support/temporary-folder.js';
import { until } from '../support/until.js';

process.env.SERVED_TICKET_SECRET = 'ticket secret';

const manifest = {
  agent_name: 'report-agent',
  manifest_version: 1,
  capabilities: [{ id: 'weekly', name: '生成周报', examples: ['生成本周销售周报', '写一份周报'] }],
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
};
const quiet = { logLevel: 'silent', englishModel: false, probes: false } as const;
/** Nothing is ever sure enough. */
const UNSURE = { intent: 'sing me a song about the sea', threshold: 1, user_id: 'li' };

async function served(options: ReachOptions): Promise<Service> {
  const service = await serve({ ...quiet, port: 0, manifests: null, ...options });
  onTestFinished(() => service.close());
  return service;
}

async function call(service: Service, path: string, body?: unknown, headers = {}, method = 'POST') {
  const init =
    body === undefined
      ? {}
      : {
          method,
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify(body),
        };
  const response = await fetch(new URL(`/api/v1/${path}`, service.address), init);
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, body: answer };
}

test('a question for a person: asked, told, claimed by one of two, kept over a restart, resolved', {
  timeout: 120_000,
}, async () => {
  const { received, url, host } = await receiver();
  const data = await temporaryFolder();
  const options: ReachOptions = {
    data,
    allowedHosts: [host],
    webhookSecret: 'env:SERVED_TICKET_SECRET',
    ticketWebhooks: [{ kind: 'json', url }],
  };
  const first = await served(options);
  const published = await call(first, 'agents/report-agent/manifest', manifest, {}, 'PUT');
  expect(published.status).toBe(200);
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const asked = await call(first, 'route', UNSURE, { traceparent: `00-${trace}-b7ad6b7169203331-01` });
  const { outcome, ticket_id: id } = asked.body;
  expect(outcome).toBe('human');
  expect(id).toMatch(/^tk_/);
  const again = await Promise.all(Array.from({ length: 8 }, () => call(first, 'route', UNSURE)));
  expect(new Set(again.map(({ body }) => body.ticket_id))).toEqual(new Set([id]));
  await until(() => received.length === 1);
  expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ ticket_id: id, cause: 'low_confidence' });

  const claims = await Promise.all(['li', 'wang'].map((by) => call(first, `tickets/${id}/claim`, { by })));
  expect(claims.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(claims.find(({ status }) => status === 409)?.body.code).toBe('TICKET_TAKEN');
  const by = claims.find(({ status }) => status === 200)?.body.claimed_by;
  await first.close();

  const second = await served(options);
  const kept = await call(second, `tickets/${id}`);
  expect(kept.body).toMatchObject({ state: 'claimed', claimed_by: by, count: 9 });
  expect(kept.body.requests).toHaveLength(9);
  expect(kept.body.requests).toContainEqual(
    expect.objectContaining({
      intent: UNSURE.intent,
      trace_id: trace,
      user: expect.stringMatching(/^[0-9a-f]{64}$/),
    }),
  );
  const unknown = await call(second, `tickets/${id}/resolve`, { by, right_capability: 'nobody/nothing' });
  expect([unknown.status, unknown.body.code]).toEqual([404, 'CAPABILITY_UNKNOWN']);
  const end = { by, right_capability: 'report-agent/weekly', note: 'It sings.' };
  const resolved = await call(second, `tickets/${id}/resolve`, end);
  expect(resolved.body).toMatchObject({
    state: 'resolved',
    claimed_by: null,
    resolution: { by, right_capability: 'report-agent/weekly', note: 'It sings.' },
  });
  const twice = await call(second, `tickets/${id}/resolve`, end);
  expect([twice.status, twice.body.code]).toEqual([409, 'TICKET_RESOLVED']);
  expect((await call(second, 'tickets?state=open')).body).toEqual({ tickets: [] });
  expect((await call(second, 'tickets?state=resolved&limit=1')).body.tickets).toHaveLength(1);
  expect((await call(second, 'tickets?state=lost')).status).toBe(422);
  expect((await call(second, 'tickets/tk_none')).body.code).toBe('TICKET_UNKNOWN');
});

test('a dispatch that nobody is left for answers with the id of its ticket', {
  timeout: 120_000,
}, async () => {
  const reach = await createReach(quiet);
  onTestFinished(() => reach.close());
  await reach.publish(manifest);
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const work = { capabilityId: 'report-agent/weekly', payload: { team: 'sales' } };
  const answers = await Promise.all([1, 2, 3].map(() => reach.dispatch(work, { traceparent })));
  expect(answers.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed']);
  const [ticketId = ''] = answers.map((answer) => answer.ticketId);
  expect(new Set(answers.map((answer) => answer.ticketId)).size).toBe(1);
  const ticket = await reach.ticket(ticketId);
  expect(ticket).toMatchObject({ cause: 'no_way_left', count: 3, decision: { targetAgent: 'report-agent' } });
  expect(answers.map(({ attempts }) => attempts)).toContainEqual(ticket.attempts);
  expect(ticket.requests[0]).toMatchObject({
    payloadFields: { team: 'string' },
    traceId: '0af7651916cd43dd8448eb211c80319c',
  });
  expect(ticket.requests.map(({ requestId }) => requestId).sort()).toEqual(
    answers.map(({ requestId }) => requestId).sort(),
  );
});

test('where no tickets are kept, none is opened', { timeout: 120_000 }, async () => {
  const reach = await createReach({ ...quiet, tickets: false });
  onTestFinished(() => reach.close());
  await reach.publish(manifest);
  const decision = await reach.route({ intent: 'sing me a song', threshold: 1 });
  expect(decision).toMatchObject({ outcome: 'human', ticketId: null });
  expect(await reach.tickets()).toEqual({ tickets: [] });
  expect(reach.health().tickets).toMatchObject({ state: 'ok', unresolved: 0 });
});

test('a webhook that may not be called keeps the service from starting', async () => {
  const ticketWebhooks = [{ kind: 'slack', url: 'https://hooks.slack.com/services/T/B/X' }] as const;
  await expect(createReach({ ...quiet, ticketWebhooks })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
