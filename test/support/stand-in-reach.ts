import { ReachError } from '../../src/errors.js';
import type { Reach } from '../../src/reach.js';
import type { InstanceStatus } from '../../src/wire/instances.js';
import type { Decision } from '../../src/wire/route.js';
import type { ShadowComparison } from '../../src/wire/shadow.js';
import { standInLabels } from './stand-in-labels.js';
import { standInRequests } from './stand-in-requests.js';
import { standInSessions } from './stand-in-sessions.js';
import { standInTickets } from './stand-in-tickets.js';
import { standInTuning } from './stand-in-tuning.js';

export const decision: Decision = {
  routeId: 'rt_1',
  outcome: 'routed',
  reason: 'It fits best.',
  targetAgent: 'report-agent',
  capabilityId: 'weekly-summary',
  instanceId: 'a',
  targetAddress: 'http://127.0.0.1:9595',
  addrVersion: 1,
  confidence: 0.91,
  threshold: 0.75,
  score: 0.9,
  missingFields: [],
  candidates: [
    {
      agentName: 'report-agent',
      capabilityId: 'weekly-summary',
      similarity: 0.9,
      lexical: 0.5,
      coverage: null,
      relevance: 0.8,
      confidence: 0.91,
      reachability: 1,
      load: 0,
      priority: 50,
      score: 0.9,
    },
    {
      agentName: 'sheet-agent',
      capabilityId: '表格转换',
      similarity: 0.2,
      lexical: 0,
      coverage: 0.25,
      relevance: 0.1,
      confidence: 0.02,
      reachability: 0.5,
      load: 0.1,
      priority: 7,
      score: 0.01,
      excludedBy: 'a lower confidence',
    },
  ],
  timingMs: { embed: 4, retrieve: 0.6, decide: 0.5, total: 5.1 },
  catalogueVersion: 3,
  weightsVersion: 'hand-1',
  model: 'multilingual-e5-small',
};

export const instanceStatus: InstanceStatus = {
  instanceId: 'a',
  address: 'http://127.0.0.1:9595',
  addrVersion: 4,
  healthAddress: null,
  weight: 100,
  region: null,
  labels: { env_name: 'prod' },
  version: null,
  incarnation: null,
  origin: 'registered',
  draining: false,
  state: 'up',
  reason: 'it started',
  since: '2026-01-02T03:04:05.678Z',
  reachability: 1,
  pending: 0,
  leaseMs: 30_000,
  lastHeartbeat: null,
};

/** One that any test can show. */
export const shadowComparison: ShadowComparison = {
  since: '2026-01-02T03:00:00.000Z',
  pairs: [
    {
      weightsVersion: 'builtin-1',
      shadowWeightsVersion: 'tuned-1',
      compared: 200,
      differing: 3,
      read: 3,
      right: { labelled: 2, inForce: 0, shadow: 2 },
      changes: [
        {
          inForce: { outcome: 'human', targetAgent: null, capabilityId: null },
          shadow: { outcome: 'routed', targetAgent: 'report-agent', capabilityId: 'weekly-summary' },
          times: 2,
          right: { labelled: 2, inForce: 0, shadow: 2 },
          intents: ['生成本周销售周报', 'weekly report'],
        },
        {
          inForce: { outcome: 'routed', targetAgent: 'sheet-agent', capabilityId: '表格转换' },
          shadow: { outcome: 'unreachable', targetAgent: 'report-agent', capabilityId: 'weekly-summary' },
          times: 1,
          right: { labelled: 0, inForce: 0, shadow: 0 },
          intents: [],
        },
      ],
    },
  ],
};

/** The façade in its simplest form: keeps manifests in a map and always decides the same. */
export function standInReach(): Reach & { readonly manifests: Map<string, unknown> } {
  const manifests = new Map<string, unknown>();
  const unknown = (name: string) => new ReachError('AGENT_UNKNOWN', `No agent is called ${name}.`);
  const summary = (agentName: string) => ({
    agentName,
    manifestVersion: 1,
    team: 'default',
    source: 'api' as const,
    capabilities: [{ id: 'weekly-summary', name: '周报', description: '', priority: 50 }],
    instances: [
      { instanceId: 'a', address: 'http://127.0.0.1:9595', state: 'up', reachability: 1, pending: 0 },
    ],
  });
  return {
    ...standInRequests(),
    ...standInLabels(),
    ...standInSessions(),
    ...standInTickets(),
    ...standInTuning(),
    manifests,
    threshold: 0.75,
    ready: true,
    storeAway: false,
    async publish(document) {
      const name = (document as { agent_name?: unknown } | null)?.agent_name;
      if (typeof name !== 'string') throw new ReachError('MANIFEST_INVALID', 'No agent_name.');
      manifests.set(name, document);
      const answer = { agentName: name, manifestVersion: 1, catalogueVersion: manifests.size };
      return { ...answer, breaking: [], overlaps: [] };
    },
    async republish(agentName, manifestVersion) {
      if (!manifests.has(agentName)) throw unknown(agentName);
      const sentence = 'The input field "a_b" is gone.';
      const breaking = [{ capabilityId: 'x', pointer: '/input_schema', kind: 'removed' as const, sentence }];
      return {
        agentName,
        manifestVersion: manifestVersion + 1,
        catalogueVersion: 2,
        breaking,
        overlaps: null,
      };
    },
    async preview(document) {
      const { agent_name: agentName } = document as { readonly agent_name: string };
      const answer = { agentName, manifestVersion: 2, catalogueVersion: 1, dryRun: true as const };
      const target = {
        outcome: 'routed',
        targetAgent: agentName,
        capabilityId: 'x',
        confidence: 0.9,
      } as const;
      const changed = { intent: '周报', payloadFields: { team_id: 'string' as const }, times: 3 };
      const nobody = { outcome: 'human', targetAgent: null, capabilityId: null, confidence: 0.2 } as const;
      return {
        ...answer,
        breaking: [],
        overlaps: null,
        wouldChange: {
          since: null,
          asked: 1,
          changed: [{ ...changed, before: target, after: nobody }],
          leftOut: 0,
        },
      };
    },
    overlaps: async () => [],
    async history(agentName, limit = 100) {
      if (!manifests.has(agentName)) throw unknown(agentName);
      const version = {
        manifestVersion: 1,
        publishedAt: '2026-01-02T03:04:05.678Z',
        source: 'api' as const,
        catalogueVersion: null,
        current: true,
      };
      return { agentName, manifests: [{ ...version, manifestVersion: limit }] };
    },
    async manifest(agentName, manifestVersion) {
      if (!manifests.has(agentName)) throw unknown(agentName);
      return { agentName, manifestVersion, source: 'api', manifest: manifests.get(agentName) };
    },
    async remove(agentName) {
      if (!manifests.delete(agentName)) throw unknown(agentName);
      return { agentName, catalogueVersion: 9 };
    },
    async register(agentName, instanceId) {
      return { agentName, instanceId, addrVersion: 4, nextHeartbeatMs: 10_000, leaseMs: 30_000 };
    },
    heartbeat: () => ({ nextHeartbeatMs: 10_000, leaseMs: 30_000, commands: ['pause'] }),
    async drain(agentName, instanceId) {
      return { agentName, ...instanceStatus, instanceId, draining: true, state: 'draining', history: [] };
    },
    leave: async (agentName, instanceId) => ({ agentName, instanceId }),
    instance: (agentName, instanceId) => ({ agentName, ...instanceStatus, instanceId, history: [] }),
    instances: (agentName) => ({ agentName, instances: [instanceStatus] }),
    route: async () => decision,
    dispatch: async (request, context) => ({
      requestId: 'rq_1',
      state: 'completed',
      result: { echo: request.payload, traceparent: context?.traceparent ?? null },
      degraded: false,
      waitedMs: 0,
      decision,
      attempts: [],
      elapsedMs: 7,
    }),
    async batch({ requests }, context) {
      const answers = await Promise.all(requests.map((request) => this.dispatch(request, context)));
      return { state: 'completed', answers, elapsedMs: 7 };
    },
    changes: () => ({ lastEventId: 'run-0', async *[Symbol.asyncIterator]() {} }),
    async *watch() {},
    agents: () => ({ agents: [...manifests.keys()].map(summary), catalogueVersion: manifests.size }),
    agent(agentName) {
      if (!manifests.has(agentName)) throw unknown(agentName);
      return { ...summary(agentName), manifest: manifests.get(agentName) };
    },
    health: () => ({
      status: 'ok',
      version: '0.1.0',
      uptimeMs: 1,
      catalogue: { state: 'ok', detail: 'Fine.', version: 1, agents: 1, capabilities: 1 },
      embedding: { state: 'ok', detail: 'Fine.', model: 'm', restarts: 0, pending: 0 },
      vectorIndex: { state: 'ok', detail: 'Fine.', kind: 'exact', vectors: 2, building: false },
      store: { state: 'ok', detail: 'Fine.' },
      manifests: { state: 'ok', detail: 'Fine.' },
      rules: { state: 'ok', detail: 'Fine.' },
      reachability: { state: 'ok', detail: 'Fine.' },
      replicas: { state: 'ok', detail: 'Fine.', living: 1, replicaId: 'host/1' },
      records: { state: 'ok', detail: 'Fine.', waiting: 0, lost: 0 },
      tickets: { state: 'ok', detail: 'Fine.', unresolved: 0 },
      shadow: { state: 'ok', detail: 'Fine.', answered: 3, leftOut: 1, waiting: 0 },
      outbox: { state: 'ok', detail: 'Fine.', waiting: 0 },
    }),
    doctor: async () => ({
      checkedAt: '2026-01-02T03:04:05.678Z',
      findings: [
        {
          check: 'unused_agents',
          severity: 'note',
          subject: 'sheet-agent',
          sentence: 'Nobody chose it.',
          advice: 'Remove it.',
        },
      ],
      leftOut: 0,
    }),
    outcome: async (routeId) => ({ routeId }),
    async *exportRoutes() {
      const { targetAddress: _, model: __, reason: ___, missingFields: ____, ...kept } = decision;
      const more = { at: '2026-01-02T03:04:05.678Z', payloadFields: {}, user: null, reported: null };
      yield { ...kept, ...more, intent: '周报', shadow: null };
    },
    trend: async (agentName) => ({ agentName, minutes: [], hours: [], days: [] }),
    compareShadow: async () => shadowComparison,
    close: async () => {},
  };
}
