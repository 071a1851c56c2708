import fc from 'fast-check';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createReach } from '../../src/app.js';
import { createHttpApp } from '../../src/http/http-app.js';
import { ROUTES } from '../../src/http/routes.js';
import { WorkGate } from '../../src/http/work-gate.js';
import type { Reach } from '../../src/reach.js';
import { checkOf } from '../../src/wire/check.js';
import { ProblemSchema } from '../../src/wire/problem.js';
import { generatedBodies } from './generated-bodies.js';

const MANIFEST = {
  agent_name: 'report-agent',
  manifest_version: 1,
  capabilities: [
    { id: 'weekly-summary', name: 'Weekly summary', examples: ['sum up the week'], priority: 80 },
  ],
  labels: { env: 'prod' },
  execute_endpoint: '/execute',
  instances: [{ instance_id: 'a', address: 'http://127.0.0.1:9' }],
};
const REQUEST = {
  intent: 'sum up the week',
  payload: { rows: [1, 2] },
  session_id: 's',
  prefer: { latency: 0.5 },
  filter: { agents: ['weekly-agent'], labels: { env: 'prod' } },
  top_k: 3,
  threshold: 0.5,
  explain: true,
};
/** Repeated at once or not at all: nobody is there. */
const DISPATCH = {
  ...REQUEST,
  lane: 'P1',
  deadlines: { seek_ms: 500 },
  retry_policy: { max_attempts: 1, backoff_base_ms: 0 },
};
let routeId: string;
/** Each has a ticket of its own: what is done to one keeps others out of it. */
const ticketIds = new Map<string, string>();
const ticketCall = (how: string, valid: Readonly<Record<string, unknown>>) => ({
  get url() {
    return `/api/v1/tickets/${ticketIds.get(how)}/${how}`;
  },
  valid,
});

interface Call {
  readonly url: string;
  readonly valid: Readonly<Record<string, unknown>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** It is about something that is not there: also what is right is refused. */
  readonly isRefused?: boolean;
}
const CALLS: Readonly<Record<string, Call>> = {
  route: { url: '/api/v1/route', valid: REQUEST },
  dispatch: { url: '/api/v1/dispatch', valid: DISPATCH },
  batch: { url: '/api/v1/batch', valid: { requests: [DISPATCH], mode: 'quorum', quorum: 1, concurrency: 2 } },
  replyToRequest: {
    url: '/api/v1/requests/rq_1/reply?token=t',
    valid: {
      state: 'failed',
      error: { detail: 'It fell.', errors: [{ pointer: '', expected: 'a', received: 'b' }] },
      progress: 0.5,
      entities: { week: 3 },
    },
    isRefused: true,
  },
  // Nobody is sure of it, so that nobody has to be called.
  invoke: {
    url: '/reach/invoke',
    valid: { session_id: 's', user_id: 'u', message: 'sing', platform: 'slack', extra: { week: 3 } },
  },
  // The first right one is new, later ones are stale.
  putSession: {
    url: '/api/v1/sessions/s9',
    headers: { 'if-none-match': '*' },
    valid: { kind: 'task', user_id: 'u', entities: { week: 3 }, summary: 'x', payload_ref: null },
  },
  registerInstance: {
    url: '/api/v1/agents/weekly-agent/instances/b',
    valid: {
      address: 'http://127.0.0.1:9',
      health_address: 'http://127.0.0.1:9/healthz',
      weight: 5,
      labels: { env: 'prod' },
      incarnation: 1_767_225_600_000,
      draining: false,
    },
  },
  heartbeat: {
    url: '/api/v1/agents/weekly-agent/instances/c/heartbeat',
    valid: { state: 'paused', pending: 3, load: 0.5, incarnation: 1_767_225_600_000 },
  },
  publishManifest: { url: '/api/v1/agents/report-agent/manifest', valid: MANIFEST },
  reportOutcome: {
    get url() {
      return `/api/v1/routes/${routeId}/outcome`;
    },
    valid: { status: 'completed', latency_ms: 5, right_capability: 'weekly-agent/weekly-summary' },
  },
  addLabels: {
    url: '/api/v1/labels',
    valid: {
      source: 'import',
      labels: [
        {
          intent: 'sum up the week',
          lang: 'en',
          payload_fields: { rows: 'array' },
          expected: ['weekly-agent/weekly-summary'],
        },
      ],
    },
  },
  applyWeights: {
    url: '/api/v1/tuning',
    get valid() {
      return { weights: { ...reach.weights(), version: 'tuned-2' }, note: 'x' };
    },
  },
  // The first right one takes back what was applied before.
  rollBackWeights: { url: '/api/v1/tuning/rollback', valid: { based_on: 1 } },
  setShadowWeights: {
    url: '/api/v1/tuning/shadow',
    get valid() {
      return { weights: reach.weights() };
    },
  },
  claimTicket: ticketCall('claim', { by: 'Li', for_ms: 60_000 }),
  releaseTicket: ticketCall('release', { by: 'Li' }),
  resolveTicket: ticketCall('resolve', {
    by: 'Li',
    right_capability: 'weekly-agent/weekly-summary',
    note: 'x',
  }),
};

let reach: Reach;
let app: FastifyInstance;
beforeAll(async () => {
  reach = await createReach({ logLevel: 'silent', probes: false });
  // Not the agent of the generated manifests: the first right one of them is new, later ones are stale.
  await reach.publish({ ...MANIFEST, agent_name: 'weekly-agent' });
  await reach.register('weekly-agent', 'c', { address: 'http://127.0.0.1:9' });
  ({ routeId } = await reach.route('sum up the week'));
  for (const how of ['claim', 'release', 'resolve']) {
    const { ticketId } = await reach.route({ intent: `sing of a ${how}`, threshold: 1 });
    ticketIds.set(how, ticketId ?? '');
  }
  await reach.applyWeights({ ...reach.weights(), version: 'tuned-1' });
  app = await createHttpApp(reach, new WorkGate(), pino({ level: 'silent' }));
});
afterAll(async () => {
  await app.close();
  await reach.close();
});

const fitsProblem = checkOf(ProblemSchema);

test.each(ROUTES.filter((route) => route.schema.body !== undefined))(
  '$operationId answers any body with an answer or a problem, and keeps nothing of what it refused',
  async ({ method, operationId, schema }) => {
    const call = CALLS[operationId];
    if (call === undefined) throw new Error(`no valid body is known for ${operationId}`);
    const fitsAnswer = checkOf(schema.response[200]?.schema ?? ProblemSchema);
    const counts = { accepted: 0, refused: 0 };

    const property = fc.asyncProperty(generatedBodies(call.valid), async (payload) => {
      const before = reach.agents().catalogueVersion;
      const headers = { 'content-type': 'application/json', ...call.headers };
      const response = await app.inject({ method, url: call.url, headers, payload });
      const body: unknown = response.json();
      if (response.statusCode === 200) {
        counts.accepted += 1;
        expect(fitsAnswer(body)).toEqual([]);
      } else {
        counts.refused += 1;
        // 504: a body may set a deadline of half a second.
        expect([400, 404, 409, 412, 413, 422, 504]).toContain(response.statusCode);
        expect(fitsProblem(body)).toEqual([]);
        expect(reach.agents().catalogueVersion).toBe(before);
      }
    });
    await fc.assert(property, { numRuns: 2_000, endOnFailure: true });
    expect(counts.refused).toBeGreaterThan(1_000);
    expect(counts.accepted > 0).toBe(call.isRefused !== true);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  },
  300_000,
);
