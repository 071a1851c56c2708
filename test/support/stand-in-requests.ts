import { ReachError } from '../../src/errors.js';
import type { RequestCalls } from '../../src/facade/request-calls.js';
import type { DispatchAnswer } from '../../src/wire/dispatch.js';
import type { RequestEvent, RequestStatus } from '../../src/wire/requests.js';

const AT = '2026-01-02T03:04:05.678Z';

export const answer: DispatchAnswer = {
  requestId: 'rq_1',
  state: 'completed',
  result: { snake_key: 1 },
  reply: '周报已生成。',
  degraded: false,
  waitedMs: 0,
  decision: null,
  attempts: [
    {
      agentName: 'report-agent',
      instanceId: 'a',
      capabilityId: 'weekly-summary',
      startedAt: AT,
      elapsedMs: 6,
      outcome: 'completed',
    },
  ],
  elapsedMs: 7,
};

export const requestStatus: RequestStatus = {
  requestId: 'rq_1',
  state: 'delivered',
  lane: 'P1',
  mode: 'async',
  acceptedAt: AT,
  deadlineAt: '2026-01-02T03:14:05.678Z',
  history: [
    { state: 'routing', at: AT, node: 'n1' },
    { state: 'delivered', at: AT, node: 'n1', attempt: 1 },
  ],
  answer: null,
  callback: null,
};

const events: readonly RequestEvent[] = [
  { event: 'state', id: 1, data: { state: 'routing', at: AT, node: 'n1' } },
  { event: 'delta', id: 2, data: '周\n报' },
  { event: 'answer', id: 3, data: answer },
];

async function* tell(after = 0) {
  yield* events.filter(({ id }) => id > after);
}

/** Knows one request, rq_1, which is under way; its token is `t`. */
export function standInRequests(): Omit<RequestCalls, 'dispatch'> {
  const known = (requestId: string) => {
    if (requestId !== 'rq_1') throw new ReachError('REQUEST_UNKNOWN', `No request ${requestId} is known.`);
    return requestStatus;
  };
  return {
    dispatchLater: async ({ requestId = 'rq_1' }) => ({ ...requestStatus, requestId, state: 'queued' }),
    dispatchStream: async ({ requestId = 'rq_1' }) => ({ requestId, events: tell() }),
    request: async (requestId) => known(requestId),
    async requests({ state, limit = 100 } = {}) {
      const { history: _, answer: __, callback: ___, ...summary } = requestStatus;
      return { requests: [{ ...summary, state: state ?? summary.state }].slice(0, limit) };
    },
    async requestEvents(requestId, { lastEventId } = {}) {
      known(requestId);
      return tell(lastEventId);
    },
    cancel: async (requestId) => ({ ...known(requestId), state: 'cancelled' }),
    async reply(requestId, token) {
      known(requestId);
      if (token !== 't') throw new ReachError('REQUEST_UNKNOWN', 'The token is not its own.');
    },
    queues: async () => ({
      agents: [
        {
          agentName: 'report-agent',
          instances: [
            {
              instanceId: 'a',
              lanes: {
                P0: { slots: 10, used: 1 },
                P1: { slots: 6, used: 6 },
                P2: { slots: 3, used: 0 },
              },
            },
          ],
          waiting: { P0: 0, P1: 4, P2: 0 },
        },
      ],
      requests: { waiting: { P0: 0, P1: 0, P2: 12 }, running: { P0: 0, P1: 0, P2: 256 } },
    }),
  };
}
