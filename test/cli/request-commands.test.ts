import { pino } from 'pino';
import { afterEach, expect, test } from 'vitest';
import { ReachError } from '../../src/errors.js';
import { startHttp } from '../../src/http/server.js';
import type { Reach } from '../../src/reach.js';
import type { DispatchAnswer, DispatchRequest } from '../../src/wire/dispatch.js';
import type { RequestEvent } from '../../src/wire/requests.js';
import { decision, standInReach } from '../support/stand-in-reach.js';
import { answer, requestStatus } from '../support/stand-in-requests.js';
import { captured } from './captured.js';

const { reply: _reply, result: _result, ...silent } = answer;

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function servedBy(changes: Partial<Reach> = {}): Promise<string> {
  const reach = { ...standInReach(), ...changes };
  const door = await startHttp(reach, { host: '127.0.0.1', port: 0 }, pino({ level: 'silent' }));
  closers.push(() => door.close());
  return door.address;
}

/** A server whose dispatches end with this answer, and what they were asked. */
async function answering(ended: DispatchAnswer) {
  const seen: DispatchRequest[] = [];
  const url = await servedBy({
    async dispatchStream(request) {
      seen.push(request);
      const events = async function* (): AsyncGenerator<RequestEvent> {
        yield { event: 'queued', id: 1, data: { place: 4 } };
        yield { event: 'answer', id: 2, data: ended };
      };
      return { requestId: 'rq_1', events: events() };
    },
  });
  return { url, seen };
}

test('dispatch prints what the agent says, and ends with 0 where it is completed', async () => {
  const { url, seen } = await answering(answer);
  const flags = ['--payload', '{"week_no": 3}', '--lane', 'P2', '--request-id', 'mine', '--session', 's'];
  const result = await captured(['dispatch', '生成周报', ...flags, '--url', url]);
  expect(result).toEqual({
    code: 0,
    out: 'completed report-agent/weekly-summary  1 attempt  7 ms\n周报已生成。\n',
    err: '',
  });
  expect(seen).toEqual([
    { intent: '生成周报', payload: { week_no: 3 }, lane: 'P2', requestId: 'mine', sessionId: 's' },
  ]);
  const json = await captured(['dispatch', 'x', '--json'], { env: { REACH_URL: url } });
  expect(JSON.parse(json.out)).toMatchObject({ request_id: 'rq_1', result: { snake_key: 1 } });
});

test('a result without words is printed as JSON that does nothing to a terminal', async () => {
  const { url } = await answering({ ...silent, result: { a: '\u001b[2J报' } });
  const { out } = await captured(['dispatch', 'x', '--url', url]);
  expect(out).toBe('completed report-agent/weekly-summary  1 attempt  7 ms\n{\n  "a": "\\u001b[2J报"\n}\n');
});

test('what failed is told with its reason, and ends with 1', async () => {
  const { url } = await answering({
    ...silent,
    state: 'failed',
    attempts: [],
    error: {
      code: 'AGENT_BUSY',
      detail: 'It has no slot.',
      retryable: true,
      retryAfterMs: 1_200,
      errors: [{ pointer: '', expected: 'a slot', received: 'none' }],
    },
    sessionUnavailable: true,
  });
  const result = await captured(['dispatch', 'x', '--url', url]);
  expect(result.code).toBe(1);
  expect(result.out.split('\n')).toEqual([
    'failed  0 attempts  7 ms',
    'AGENT_BUSY: It has no slot.',
    '  the whole: expected a slot, received none',
    'Try again in 2 s',
    'The session could not be read or written; it was gone on without',
    '',
  ]);
});

test('what was handed off shows the question to answer and its ticket, and ends with 1', async () => {
  const choices = [{ agentName: 'a', capabilityId: 'b', name: '乙', confidence: 0.5 }];
  const { url } = await answering({
    ...silent,
    state: 'handed_off',
    attempts: [],
    ticketId: 'tk_1',
    decision: { ...decision, outcome: 'clarify', targetAgent: null, capabilityId: null, choices },
  });
  const result = await captured(['dispatch', 'x', '--url', url]);
  expect(result.code).toBe(1);
  expect(result.out).toContain('handed_off  0 attempts');
  expect(result.out).toContain('  a/b  0.50  乙\n');
  expect(result.out).toContain('--route-id rt_1 --choice AGENT/CAPABILITY\nTicket tk_1\n');
});

test('a result that stands in for another says for what', async () => {
  const error = { code: 'AGENT_UNREACHABLE', detail: 'Nobody is there.', retryable: true, errors: [] };
  const { url } = await answering({ ...answer, degraded: true, error });
  const result = await captured(['dispatch', 'x', '--url', url]);
  expect(result.code).toBe(0);
  expect(result.out).toContain('In place of an answer: AGENT_UNREACHABLE: Nobody is there.\n');
});

test('dispatch --async names the request, and does not wait', async () => {
  const url = await servedBy();
  const result = await captured(['dispatch', 'x', '--async', '--request-id', 'a:1', '--url', url]);
  expect(result).toEqual({
    code: 0,
    out: 'queued a:1\nTo see what becomes of it: agent-reach requests a:1\n',
    err: '',
  });
});

test.each([
  ['is refused at once', (error: ReachError) => async () => Promise.reject(error)],
  [
    'is refused on the way',
    (error: ReachError) => async () => ({
      requestId: 'rq_1',
      // biome-ignore lint/correctness/useYield: it fails before it tells anything
      events: (async function* (): AsyncGenerator<RequestEvent> {
        throw error;
      })(),
    }),
  ],
])('a dispatch that %s is one sentence, and ends with 1', async (_, dispatchStream) => {
  const error = new ReachError('PAYLOAD_INVALID', 'The payload lacks /week.');
  const url = await servedBy({ dispatchStream: dispatchStream(error) });
  const result = await captured(['dispatch', 'x', '--url', url]);
  expect(result).toEqual({ code: 1, out: '', err: 'agent-reach: The payload lacks /week.\n' });
});

test('a server that goes away before it answers ends with 3', async () => {
  const events = async function* (): AsyncGenerator<RequestEvent> {
    yield { event: 'queued', id: 1, data: { place: 4 } };
  };
  const url = await servedBy({ dispatchStream: async () => ({ requestId: 'rq_1', events: events() }) });
  const result = await captured(['dispatch', 'x', '--url', url]);
  expect(result.code).toBe(3);
  expect(result.err).toContain('went away before it answered');
});

test('requests lists those in a state, aligned whatever they are called', async () => {
  const { history: _, answer: __, callback: ___, ...summary } = requestStatus;
  const queries: unknown[] = [];
  const url = await servedBy({
    async requests(query) {
      queries.push(query);
      return { requests: [summary, { ...summary, requestId: 'a-longer-one', state: 'completed' }] };
    },
  });
  const result = await captured(['requests', '--state', 'queued', '--url', url]);
  expect(result.code).toBe(0);
  const [heading, first, second] = result.out.split('\n');
  expect(heading).toMatch(/^request {7}state {6}lane {2}mode {3}accepted/);
  expect(first).toMatch(/^rq_1 {10}delivered {2}P1 {4}async {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}/);
  expect(second).toMatch(/^a-longer-one {2}completed/);
  expect(queries).toEqual([{ state: 'queued' }]);
  const none = await captured([
    'requests',
    '--url',
    await servedBy({ requests: async () => ({ requests: [] }) }),
  ]);
  expect(none.out).toBe('no requests\n');
});

test('requests ID shows its states, its callback and its answer', async () => {
  const url = await servedBy({
    request: async () => ({
      ...requestStatus,
      state: 'completed',
      answer,
      callback: { state: 'given_up', attempts: 7, lastError: '500' },
    }),
  });
  const lines = (await captured(['requests', 'rq_1', '--url', url])).out.split('\n');
  expect(lines).toEqual([
    'rq_1  completed  P1  async',
    expect.stringMatching(/^state {6}since {16}attempt {2}node$/),
    expect.stringMatching(/^routing {4}\d{4}-.* {8}- {2}n1$/),
    expect.stringMatching(/^delivered {2}\d{4}-.* {8}1 {2}n1$/),
    'callback given up, 7 sent: 500',
    'completed report-agent/weekly-summary  1 attempt  7 ms',
    '周报已生成。',
    '',
  ]);
  const running = (await captured(['requests', 'rq_1', '--url', await servedBy()])).out;
  expect(running).toMatch(/\nends by \d{4}-.*\n$/);
  expect((await captured(['requests', 'rq_1', '--state', 'queued', '--url', url])).code).toBe(2);
});

test('an unknown request and an unknown state are one sentence', async () => {
  const url = await servedBy();
  const unknown = await captured(['requests', 'rq_2', '--url', url]);
  expect(unknown).toEqual({ code: 1, out: '', err: 'agent-reach: No request rq_2 is known.\n' });
  const state = await captured(['requests', '--state', 'lost', '--url', url]);
  expect([state.code, state.err]).toEqual([1, expect.stringContaining('/state')]);
});

test('cancel ends a request; a cancel after the end is told', async () => {
  const done = await captured(['cancel', 'rq_1', '--url', await servedBy()]);
  expect(done).toEqual({ code: 0, out: 'rq_1 is cancelled\n', err: '' });
  const url = await servedBy({
    async cancel() {
      throw new ReachError('REQUEST_ENDED', 'The request rq_1 is completed already.');
    },
  });
  const ended = await captured(['cancel', 'rq_1', '--url', url]);
  expect(ended).toEqual({ code: 1, out: '', err: 'agent-reach: The request rq_1 is completed already.\n' });
});

test('queues shows the slots and who waits, Chinese names aligned', async () => {
  const { agents, requests } = await standInReach().queues();
  const url = await servedBy({
    queues: async () => ({ agents: agents.map((agent) => ({ ...agent, agentName: '周报' })), requests }),
  });
  const { out } = await captured(['queues', '--url', url]);
  expect(out.split('\n')).toEqual([
    'agent           instance     P0   P1   P2',
    '周报            a          1/10  6/6  0/3',
    '周报            (waiting)     0    4    0',
    '(asynchronous)  (waiting)     0    0   12',
    '(asynchronous)  (running)     0    0  256',
    '',
  ]);
});

test('these commands ask a server, and a dispatch says what it needs', async () => {
  for (const argv of [['dispatch', 'x'], ['requests'], ['cancel', 'a'], ['queues']]) {
    const result = await captured(argv);
    expect(result).toEqual({ code: 2, out: '', err: 'error: name a server: --url or REACH_URL\n' });
  }
  const url = ['--url', 'http://127.0.0.1:9'];
  expect((await captured(['dispatch', ...url])).err).toContain('say what you need');
  expect((await captured(['dispatch', 'x', '--lane', 'P3', ...url])).code).toBe(2);
  expect((await captured(['dispatch', 'x', ...url])).code).toBe(3);
});
