import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { decision, standInReach } from '../support/stand-in-reach.js';
import { ticket } from '../support/stand-in-tickets.js';
import { captured } from './captured.js';

async function servedBy(changes: Partial<Reach> = {}): Promise<string> {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return door.address;
}

test('tickets lists the questions for people, of one state where it is asked for', async () => {
  const queries: unknown[] = [];
  const url = await servedBy({
    async tickets(query) {
      queries.push(query);
      const claimed = { ...ticket, ticketId: 'tk_2', state: 'claimed', claimedBy: 'Li' } as const;
      return { tickets: [claimed, { ...ticket, sentence: 'Who\u001b[31m?' }] };
    },
  });
  const { code, out } = await captured(['tickets', '--state', 'open', '--url', url]);
  expect([code, queries]).toEqual([0, [{ state: 'open' }]]);
  const [heading, first, second] = out.split('\n');
  expect(heading).toMatch(/^ticket +state +times +last +cause +question$/);
  expect(first).toMatch(
    /^tk_2 +claimed by Li +2 +20\d\d-\d\d-\d\d .* low_confidence +Nobody is sure enough\.$/,
  );
  expect(second).toContain('Who\\u001b[31m?');
  expect((await captured(['tickets', '--state', 'lost', '--url', url])).code).toBe(2);
  expect((await captured(['tickets', 'tk_1', '--state', 'open', '--url', url])).code).toBe(2);
});

test('tickets says that there are none', async () => {
  const url = await servedBy({ tickets: async () => ({ tickets: [] }) });
  expect((await captured(['tickets', '--url', url])).out).toBe('no tickets\n');
});

test('tickets ID shows one with all that is known of it', async () => {
  const attempt = {
    agentName: 'report-agent',
    instanceId: 'a',
    capabilityId: 'weekly-summary',
    startedAt: ticket.lastAt,
    elapsedMs: 5,
    outcome: 'failed',
    errorCode: 'AGENT_FAILED',
  } as const;
  const resolution = { by: 'Li', at: ticket.lastAt, rightCapability: 'a/b', note: 'Ask HR.' };
  const url = await servedBy({
    ticket: async () => ({ ...ticket, decision, attempts: [attempt], resolution }),
  });
  const { code, out } = await captured(['tickets', 'tk_1', '--url', url]);
  expect(code).toBe(0);
  expect(out).toContain('Nobody is sure enough.\n2 times, from ');
  expect(out).toContain(
    '  周报\nchosen was report-agent/weekly-summary\n  report-agent/a: failed (AGENT_FAILED)\n',
  );
  expect(out).toMatch(/resolved by Li at .*, right would have been a\/b\n {2}Ask HR\.\n$/);
});

test('tickets claim, release and resolve do what people do with one', async () => {
  const seen: unknown[] = [];
  const spied = standInReach();
  const url = await servedBy({
    async claimTicket(...given) {
      seen.push(given);
      return spied.claimTicket(...given);
    },
    async resolveTicket(...given) {
      seen.push(given);
      return spied.resolveTicket(...given);
    },
  });
  const run = async (...argv: string[]) => (await captured(['tickets', ...argv, '--url', url])).out;
  expect(await run('claim', 'tk_1', '--by', 'Li', '--for-ms', '60000')).toBe('tk_1 is claimed by Li\n');
  expect(await run('release', 'tk_1', '--by', 'Li')).toBe('tk_1 is back in the queue\n');
  expect(await run('resolve', 'tk_1', '--by', 'Li', '--right', 'a/b', '--note', 'Ask HR.')).toBe(
    'tk_1 is resolved\n',
  );
  expect(seen).toEqual([
    ['tk_1', { by: 'Li', forMs: 60_000 }],
    ['tk_1', { by: 'Li', rightCapability: 'a/b', note: 'Ask HR.' }],
  ]);
});

test('tickets says what the server refuses, and gives its answer as JSON', async () => {
  const url = await servedBy();
  const refused = await captured(['tickets', 'tk_none', '--url', url]);
  expect([refused.code, refused.err]).toEqual([1, 'agent-reach: No ticket tk_none.\n']);
  const { out } = await captured(['tickets', 'claim', 'tk_1', '--by', 'Li', '--json', '--url', url]);
  expect(JSON.parse(out)).toMatchObject({ ticket_id: 'tk_1', state: 'claimed', claimed_by: 'Li' });
});
