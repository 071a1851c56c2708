import type { SeenRequest } from '../../benchmarks/support/request-end-judge.js';
import type { Execution } from '../../benchmarks/support/work-agent-process.js';
import type { RequestStatusWire } from '../../src/wire/requests.js';

type Ended = Extract<SeenRequest, { kind: 'ended' }>;
type State = RequestStatusWire['state'];

const AT = '2026-01-01T00:00:00.000Z';

interface Told {
  /** In the answer of the request; by default its last state. */
  readonly state?: State;
  readonly code?: string;
  /** To the caller who waited. */
  readonly told?: State;
  readonly toldStates?: readonly State[];
  readonly lastEvent?: State;
}

/** A request that went through these states, each delivery to the same instance, and what was told of it. */
export function endedRequest(states: readonly State[], told: Told = {}): Ended {
  const state = told.state ?? (states.at(-1) as State);
  let attempts = 0;
  const history = states.map((entered) => {
    if (entered === 'delivered') attempts += 1;
    return { state: entered, at: AT, node: 'n', ...(entered === 'delivered' && { attempt: attempts }) };
  });
  const attempt = {
    ...{ agent_name: 'north', instance_id: 'i0', capability_id: 'read' },
    ...{ started_at: AT, elapsed_ms: 1, outcome: 'failed' as const },
  };
  const answer = {
    request_id: 'r',
    state: state as 'completed',
    degraded: false,
    decision: null,
    attempts: Array.from({ length: attempts }, () => attempt),
    waited_ms: 0,
    elapsed_ms: 1,
    ...(told.code !== undefined && {
      error: { code: told.code, detail: '', retryable: false, errors: [] },
    }),
  };
  const status: RequestStatusWire = {
    ...{ request_id: 'r', state, lane: 'P1', mode: 'async', accepted_at: AT, deadline_at: AT },
    ...{ history, answer, callback: null },
  };
  return {
    kind: 'ended',
    requestId: 'r',
    told: told.told,
    status,
    events: [
      ...(told.toldStates ?? states).map((entered) => ({ event: 'state', data: { state: entered } })),
      { event: 'answer', data: { state: told.lastEvent ?? state } },
    ],
  };
}

export function execution(overrides: Partial<Execution> = {}): Execution {
  return {
    ...{ requestId: 'r', attempt: 1, capabilityId: 'read', way: 'plain', atMs: 0 },
    ...{ acknowledged: false, done: true },
    ...overrides,
  };
}
