import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import { standInReach } from '../support/stand-in-reach.js';
import { until } from '../support/until.js';

const MANIFEST = { agent_name: 'a', capabilities: [{ id: 'x', name: 'X' }] };

async function served(changes: Partial<Reach> = {}) {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  onTestFinished(() => door.close());
  const put = async (query: string, manifest: object = MANIFEST, signal: AbortSignal | null = null) => {
    const response = await fetch(`${door.address}/api/v1/agents/a/manifest${query}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(manifest),
      signal,
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  };
  return { put, reach };
}

test('a dry run says what would change, and publishes nothing', async () => {
  const asked: unknown[] = [];
  const { preview } = standInReach();
  const { put, reach } = await served({
    preview(document, options) {
      asked.push(options?.recordedHours);
      return preview(document, options);
    },
  });
  const { status, body } = await put('?dry_run=true&recorded_hours=48');
  expect(status).toBe(200);
  expect(body).toEqual({
    agent_name: 'a',
    manifest_version: 2,
    catalogue_version: 1,
    dry_run: true,
    breaking: [],
    overlaps: null,
    would_change: {
      since: null,
      asked: 1,
      changed: [
        {
          intent: '周报',
          payload_fields: { team_id: 'string' },
          times: 3,
          before: { outcome: 'routed', target_agent: 'a', capability_id: 'x', confidence: 0.9 },
          after: { outcome: 'human', target_agent: null, capability_id: null, confidence: 0.2 },
        },
      ],
      left_out: 0,
    },
  });
  await put('?dry_run=true');
  expect(asked).toEqual([48, undefined]);
  expect(reach.agents().agents).toEqual([]);
  expect(await put('?dry_run=false')).toMatchObject({ status: 200, body: { manifest_version: 1 } });
});

test.each([
  ['?recorded_hours=24', '/recorded_hours'],
  ['?dry_run=false&recorded_hours=24', '/recorded_hours'],
  ['?dry_run=true&recorded_hours=0', '/recorded_hours'],
  ['?dry_run=true&recorded_hours=169', '/recorded_hours'],
  ['?dry_run=yes', '/dry_run'],
])('%s is refused, and nothing is published', async (query, pointer) => {
  const published: unknown[] = [];
  const { put } = await served({
    publish: async (document) => Promise.reject(published.push(document)),
  });
  const { status, body } = await put(query);
  expect({ status, ...body }).toMatchObject({ status: 422, code: 'INVALID_REQUEST', errors: [{ pointer }] });
  expect(published).toEqual([]);
});

test('another name than the one in the path is refused as by a publish', async () => {
  const { put } = await served();
  const { body } = await put('?dry_run=true', { ...MANIFEST, agent_name: 'b' });
  expect(body).toMatchObject({ code: 'MANIFEST_INVALID' });
});

test('a dry run ends when its caller goes', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const { put } = await served({
    preview: (_, { signal } = {}) => {
      signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  });
  const caller = new AbortController();
  const answer = put('?dry_run=true', MANIFEST, caller.signal);
  await until(() => signals.length === 1);
  caller.abort();
  await expect(answer).rejects.toThrow();
  await until(() => signals[0]?.aborted === true);
  expect(signals[0]?.reason).toMatchObject({ code: 'CLOSED' });
});
