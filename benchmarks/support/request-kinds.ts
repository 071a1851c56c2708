import type { StoredRequest } from '../../src/requests/request-store.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import type { KeptKind } from './kept-kind.js';

const TEAM = 'bench';
const AT_MS = 1_767_322_000_000;
const NODE = 'agent-reach-7f9c5d-x2v4q/7-1a2b3c';
const INTENT = 'where is my order 20231188';

const idOf = (index: number) => `${String(index).padStart(8, '0')}-0000-4000-8000-000000000000`;

const waitingAt = (index: number): StoredRequest => ({
  requestId: idOf(index),
  bodyHash: 'a'.repeat(64),
  mode: 'async',
  lane: 'P1',
  request: { requestId: idOf(index), intent: INTENT, payload: { order_id: String(index) } },
  traceparent: undefined,
  acceptedAtMs: AT_MS + index,
  deadlineAtMs: AT_MS + index + 600_000,
  state: 'queued',
  history: [{ state: 'queued', atMs: AT_MS + index, node: NODE, eventId: 1 }],
  delivery: undefined,
  run: 1,
  owner: undefined,
  answer: undefined,
  callbackDue: false,
  revision: 1,
});

const answerAt = (index: number): DispatchAnswer => ({
  requestId: idOf(index),
  state: 'completed',
  result: { order_id: String(index), found: true, status: 'shipped', carrier: 'UPS' },
  reply: `Order ${index} is shipped with UPS and expected on 2023-11-24.`,
  degraded: false,
  decision: null,
  attempts: [],
  waitedMs: 1,
  elapsedMs: 12.5,
});

const endedAt = (index: number): StoredRequest => {
  const states = ['queued', 'routing', 'delivered', 'completed'] as const;
  const history = states.map((state, at) => ({ state, atMs: AT_MS + at, node: NODE, eventId: at + 1 }));
  const delivery = {
    ...{ attempt: 1, agentName: 'orders-agent', instanceId: 'o1', capabilityId: 'order-status' },
    ...{ idempotent: true, awaitsReply: false },
  };
  const ended = { state: 'completed', history, delivery, owner: NODE, answer: answerAt(index) } as const;
  return { ...waitingAt(index), ...ended, revision: 2 };
};

export const REQUEST_KINDS: readonly KeptKind[] = [
  {
    name: 'a request that waits, with its job',
    count: 5_000,
    async keep({ requests, work }, index) {
      const request = waitingAt(index);
      await requests.create(TEAM, request);
      await work.add(TEAM, request);
      return request;
    },
  },
  {
    name: 'a request that has ended',
    count: 5_000,
    async keep({ requests }, index) {
      const request = endedAt(index);
      await requests.create(TEAM, waitingAt(index));
      await requests.save(TEAM, request);
      return request;
    },
  },
];
