import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { StoredTicket } from '../../src/handoff/ticket.js';
import { labelOf } from '../../src/labels/label.js';
import type { OutboxMessage } from '../../src/outbox/message.js';
import type { DecisionRecord } from '../../src/record/decision-record.js';
import { type AgentMinute, PERIODS } from '../../src/record/trend-store.js';
import type { Weights } from '../../src/routing/weights.js';
import { changed, sessionOf } from '../../src/sessions/session.js';
import { newTuning } from '../../src/tuning/tuning-version.js';
import type { KeptKind } from './kept-kind.js';
import { templatedManifests } from './templated-manifests.js';

const TEAM = 'bench';
const AT_MS = 1_767_322_000_000;
const AT = new Date(AT_MS).toISOString();
const INTENT = 'where is my order, it should have been here the day before yesterday';
const REPLY =
  'It is shipped with UPS and expected on 2023-11-24; here is what the carrier last said about it.';
const OUTBOX_LIMITS = { messages: 1_000_000, chars: 1_000_000_000 };

const WEIGHTS_FILE = new URL('../../models/multilingual-e5-small/weights.json', import.meta.url);
const WEIGHTS: Weights = JSON.parse(readFileSync(WEIGHTS_FILE, 'utf8'));

/** Ids as the service makes them: as long as a UUID behind a prefix. */
const idOf = (prefix: string, index: number) =>
  `${prefix}_${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;

const sessionAt = (index: number) => {
  const round = {
    at: AT,
    intent: `${INTENT} ${index}`,
    agentName: 'orders-agent',
    capabilityId: 'order-status',
    reply: REPLY,
  };
  const content = {
    userId: `user-${index}`,
    intent: INTENT,
    entities: { order_id: String(index), carrier: 'UPS' },
    rounds: [round, round, round],
    affinity: { agentName: 'orders-agent', version: '1.0.0' },
  };
  return changed(sessionOf(idOf('s', index), 0, content), AT_MS + index);
};

const ticketAt = (index: number): StoredTicket => {
  const request = {
    requestId: idOf('rq', index),
    routeId: idOf('rt', index),
    at: AT,
    intent: `${INTENT} ${index}`,
    payloadFields: { order_id: 'string' as const },
    user: 'a'.repeat(64),
    sessionId: idOf('s', index),
    traceId: 'b'.repeat(32),
  };
  return {
    ticketId: idOf('tk', index),
    cause: 'low_confidence',
    causeKey: `low_confidence ${index} ${INTENT}`,
    sentence: 'Nobody is sure enough to take this.',
    count: 10,
    firstAtMs: AT_MS,
    lastAtMs: AT_MS + index,
    requests: Array.from({ length: 10 }, () => request),
    decision: null,
    attempts: [],
    standing: { state: 'open' },
    revision: 1,
  };
};

const labelAt = (index: number) =>
  labelOf({
    atMs: AT_MS + index,
    source: 'clarify',
    intent: `${INTENT} ${index}`,
    lang: 'en',
    payloadFields: { order_id: 'string' },
    expected: ['orders-agent/order-status'],
    routeId: idOf('rt', index),
  });

const messageAt = (index: number): OutboxMessage => ({
  messageId: `cb_${String(index).padStart(32, '0')}`,
  url: 'https://receiver.example/hooks/agent-reach',
  form: 'signed',
  body: JSON.stringify({ request_id: idOf('rq', index), state: 'completed', reply: REPLY.repeat(5) }),
  secretRef: 'env:WEBHOOK_SECRET',
});

const AGENTS = 500;
const MANIFESTS = templatedManifests(5 * (AGENTS + 1), 5);

const instanceAt = (index: number) => ({
  ...{ agentName: 'orders-agent', instanceId: `orders-${index}` },
  address: `http://10.0.${index % 250}.${(index + 7) % 250}:9595`,
  healthAddress: undefined,
  weight: 100,
  region: 'east',
  labels: { zone: 'a' },
  version: '1.0.0',
  incarnation: AT_MS + index,
  draining: false,
});

const recordAt = (index: number): DecisionRecord => ({
  routeId: idOf('rt', index),
  atMs: AT_MS + index,
  intent: `${INTENT} ${index}`,
  payloadFields: { order_id: 'string' },
  user: 'a'.repeat(64),
  outcome: 'routed',
  targetAgent: 'orders-agent',
  capabilityId: 'order-status',
  instanceId: 'orders-agent-1',
  addrVersion: 7,
  confidence: 0.97,
  threshold: 0.75,
  score: 0.99,
  candidates: Array.from({ length: 10 }, (_, place) => ({
    agentName: `agent-${place}`,
    capabilityId: 'order-status',
    confidence: 0.1,
    score: 0.1,
  })),
  timingMs: { total: 5.6, embed: 4.9, retrieve: 0.4, decide: 0.3 },
  catalogueVersion: 42,
  weightsVersion: 'e5-small-1',
  reported: null,
  shadow: null,
});

/** Of one agent, minute by minute. */
const tallyAt = (index: number): AgentMinute => ({
  agentName: 'orders-agent',
  atMs: AT_MS + index * PERIODS.minute,
  samples: 6,
  reachabilitySum: 5.7,
  reachabilityMin: 0.85,
  eligible: 2,
  registered: 3,
  routed: 120,
  failed: 1,
});

/** What is measured: another kind is another entry. */
export const KEPT_KINDS: readonly KeptKind[] = [
  {
    name: 'an agent of five capabilities, with its change in the feed',
    count: AGENTS,
    async keep({ catalogue }, index) {
      const document = MANIFESTS[index];
      if (document === undefined) throw new Error(`There are ${MANIFESTS.length} manifests.`);
      const manifest = {
        agentName: document.agent_name,
        manifestVersion: 1,
        source: 'api',
        document,
      } as const;
      await catalogue.save(TEAM, manifest, null);
      return manifest;
    },
  },
  {
    name: 'an instance with its lease, and its change in the feed',
    count: 5_000,
    async keep({ instances, shared }, index) {
      const instance = instanceAt(index);
      await instances.save(TEAM, instance, null);
      await shared?.leases.note(TEAM, [{ ...instance, leaseMs: 600_000 }]);
      return instance;
    },
  },
  {
    name: 'a session with three rounds',
    count: 5_000,
    async keep({ sessions }, index) {
      const session = sessionAt(index);
      await sessions.save(TEAM, session);
      return session;
    },
  },
  {
    name: 'a ticket that ten requests joined',
    count: 2_000,
    async keep({ tickets }, index) {
      const ticket = ticketAt(index);
      await tickets.create(TEAM, ticket, 1_000_000);
      return ticket;
    },
  },
  {
    name: 'a label',
    count: 10_000,
    async keep({ labels }, index) {
      const label = labelAt(index);
      await labels.add(TEAM, [label]);
      return label;
    },
  },
  {
    name: 'a message that waits',
    count: 5_000,
    async keep({ outbox }, index) {
      const message = messageAt(index);
      await outbox.add(TEAM, message, AT_MS, OUTBOX_LIMITS);
      return message;
    },
  },
  {
    name: 'a message that has ended',
    count: 5_000,
    async keep({ outbox }, index) {
      const message = messageAt(index);
      const { messageId } = message;
      const delivery = { state: 'taken', attempts: 1, lastError: null } as const;
      await outbox.add(TEAM, message, AT_MS, OUTBOX_LIMITS);
      await outbox.settle(TEAM, messageId, 0, { ...delivery, nextAtMs: undefined }, AT_MS);
      return { messageId, ...delivery };
    },
  },
  {
    name: 'a version of weights',
    count: 10,
    async keep({ tuning }, index) {
      const version = newTuning({ ...WEIGHTS, version: `tuned-${index}` }, null, AT_MS);
      await tuning.append(TEAM, version, index);
      return version;
    },
  },
  {
    name: 'a decision',
    count: 5_000,
    async keep({ records }, index) {
      const record = recordAt(index);
      await records.append(TEAM, [record]);
      return record;
    },
  },
  {
    name: 'a minute of an agent, its hours and days included',
    count: 10_000,
    async keep({ trends }, index) {
      const tally = tallyAt(index);
      await trends.add(TEAM, [tally]);
      return tally;
    },
  },
  {
    name: 'a vector of 384 numbers',
    count: 5_000,
    async keep({ vectors }, index) {
      const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
      const vector = Float32Array.from({ length: 384 }, (_, place) => Math.sin(index + place));
      await vectors.putMany(hashOf('model'), new Map([[hashOf(String(index)), vector]]));
      return Array.from(vector);
    },
  },
];
