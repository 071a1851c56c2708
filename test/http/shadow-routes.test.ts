import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import { shadowComparison, standInReach } from '../support/stand-in-reach.js';

async function served() {
  const asked: unknown[] = [];
  const reach = {
    ...standInReach(),
    compareShadow: async (hours?: number) => {
      asked.push(hours);
      return shadowComparison;
    },
  };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  return { asked, get: (query: string) => fetch(`${door.address}/api/v1/tuning/compare${query}`) };
}

test('GET /api/v1/tuning/compare tells where weights in force and in the shadow differ', async () => {
  const { get, asked } = await served();
  expect(await (await get('?hours=48')).json()).toMatchObject({
    since: '2026-01-02T03:00:00.000Z',
    pairs: [
      {
        weights_version: 'builtin-1',
        shadow_weights_version: 'tuned-1',
        differing: 3,
        right: { labelled: 2, in_force: 0, shadow: 2 },
        changes: [
          {
            in_force: { outcome: 'human', target_agent: null, capability_id: null },
            shadow: { outcome: 'routed', target_agent: 'report-agent', capability_id: 'weekly-summary' },
            times: 2,
            intents: ['生成本周销售周报', 'weekly report'],
          },
          { times: 1 },
        ],
      },
    ],
  });
  expect((await get('')).status).toBe(200);
  expect(asked).toEqual([48, undefined]);
});

test.each(['?hours=0', '?hours=1.5', '?hours=many', '?hour=1'])('refuses %s', async (query) => {
  const { get, asked } = await served();
  expect([(await get(query)).status, asked]).toEqual([422, []]);
});
