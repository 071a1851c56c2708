import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createReach, type DecisionEvent, type Reach, type RouteRequest } from '../../src/app.js';
import type { WatchedDecision } from '../../src/wire/live.js';
import { eventsOf } from '../support/events-of.js';

let reach: Reach;

const capability = (id: string, name: string, more: object = {}) => ({ id, name, ...more });
const STAGING = 'staging-reports';
const HIDDEN = 'board-reports';

const MANIFESTS = [
  {
    agent_name: 'reports',
    capabilities: [
      capability('weekly', 'Write the weekly sales report', {
        examples: ['summarise the sales of this week'],
        input_schema: {
          type: 'object',
          properties: { week: { type: 'integer' }, region: { type: 'string' } },
          required: ['week'],
        },
      }),
      capability('yearly', 'Write the yearly sales report'),
    ],
    labels: { env: 'prod' },
    instances: [{ instance_id: 'r', address: 'http://127.0.0.1:1' }],
  },
  {
    agent_name: STAGING,
    capabilities: [capability('weekly', 'Write the weekly sales report, new version')],
    labels: { env: 'staging' },
    instances: [{ instance_id: 's', address: 'http://127.0.0.1:2' }],
  },
  {
    agent_name: HIDDEN,
    team: 'board',
    visible_to: ['board'],
    capabilities: [capability('weekly', 'Write the weekly sales report for the board')],
  },
  ...Array.from({ length: 12 }, (_, i) => ({
    agent_name: `orders-${i}`,
    capabilities: [capability('track', `Track an order of warehouse ${i}`)],
  })),
];

beforeAll(async () => {
  reach = await createReach({ fallbackAgent: 'orders-0', logLevel: 'silent', probes: false });
  for (const manifest of MANIFESTS) await reach.publish({ manifest_version: 1, ...manifest });
});
afterAll(() => reach.close());

function watched(intentPattern?: string): AsyncIterable<DecisionEvent> {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return reach.watch(intentPattern === undefined ? {} : { intentPattern }, { signal: stop.signal });
}

async function nextDecision(watching: AsyncIterable<DecisionEvent>): Promise<WatchedDecision> {
  const [event] = await eventsOf(watching, 1);
  if (event?.event !== 'decision') throw new Error('no decision came');
  return event.data;
}

const PROD: RouteRequest = {
  intent: 'write the weekly sales report',
  filter: { labels: { env: 'prod' } },
  threshold: 0.1,
};

test('each decision is watched with its candidates, those filtered out included: an agent labelled staging, one not visible to the caller', async () => {
  const watching = watched('weekly sales');
  const decision = await reach.route(PROD);
  const seen = await nextDecision(watching);
  expect(seen).toMatchObject({
    routeId: decision.routeId,
    intent: PROD.intent,
    outcome: 'routed',
    targetAgent: 'reports',
    capabilityId: 'weekly',
    instanceId: 'r',
    confidence: decision.confidence,
    timingMs: decision.timingMs,
  });
  const reasons = Object.fromEntries(seen.candidates.map((it) => [it.agentName, it.excludedBy]));
  expect(reasons[STAGING]).toBe('filter: label env is staging, not prod');
  expect(reasons[HIDDEN]).toBe('not visible to team default');
  expect(seen.candidates[0]).toMatchObject({
    agentName: 'reports',
    signals: { utility: expect.any(Number), lexical: expect.any(Number) },
  });
  expect(JSON.stringify(decision)).not.toMatch(new RegExp(`${STAGING}|${HIDDEN}|signals`));
});

test.each<[string, RouteRequest]>([
  ['an intent', { intent: 'track my order in warehouse 3' }],
  ['a filter', PROD],
  ['few candidates', { ...PROD, topK: 1 }],
  ['many candidates', { intent: 'track an order', topK: 64 }],
  ['a payload', { intent: 'sales report please', payload: { week: 48 }, threshold: 0.2 }],
  ['a payload that lacks fields', { ...PROD, payload: { region: 'east' } }],
  ['a declared example', { intent: 'Summarise the sales of this week' }],
  ['too low a confidence', { intent: 'sing me a song', threshold: 1 }],
  ['a named capability', { capabilityId: 'reports/weekly' }],
  ['a named agent that a filter rules out', { ...PROD, capabilityId: `${STAGING}/weekly` }],
  ['an explanation', { ...PROD, explain: true }],
])('an answer to %s is the same byte for byte where somebody watches', async (_, request) => {
  const answer = async () => {
    const { routeId, timingMs, ...rest } = await reach.route(request);
    return JSON.stringify(rest);
  };
  const unwatched = await answer();
  const watching = watched();
  expect(await answer()).toBe(unwatched);
  // Now from the candidates that are kept for the watched.
  expect(await answer()).toBe(unwatched);
  expect((await nextDecision(watching)).candidates.length).toBeGreaterThan(0);
});

test('a pattern is a part of the intent or a regular expression, and case does not count', async () => {
  const [part, expression] = [watched('WAREHOUSE 7'), watched('/^track .* \\d$/')];
  await reach.route('where is order 5 of warehouse 7');
  await reach.route('Track the order of warehouse 8');
  expect(await nextDecision(part)).toMatchObject({ intent: 'where is order 5 of warehouse 7' });
  expect(await nextDecision(expression)).toMatchObject({ intent: 'Track the order of warehouse 8' });
});

test.each(['/(a+)+$/', '/(/', ''])('the pattern %j is refused', (intentPattern) => {
  expect(() => reach.watch({ intentPattern })).toThrow(
    expect.objectContaining({
      code: 'INVALID_REQUEST',
      errors: [expect.objectContaining({ pointer: '/intent_pattern' })],
    }),
  );
});

test('the outcome of a dispatch is watched as well', async () => {
  const watching = watched('warehouse 5');
  const { decision } = await reach.dispatch({ intent: 'track an order of warehouse 5' });
  expect(await nextDecision(watching)).toMatchObject({ routeId: decision?.routeId });
});
