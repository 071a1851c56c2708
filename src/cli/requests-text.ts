import type { Queues, RequestList, RequestStatus } from '../wire/requests.js';
import { dispatchText } from './dispatch-text.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

const left = (heading: string): Column => ({ heading, align: 'left' });
const right = (heading: string): Column => ({ heading, align: 'right' });

const REQUESTS = ['request', 'state', 'lane', 'mode', 'accepted', 'ends by'].map(left);
const HISTORY = [left('state'), left('since'), right('attempt'), left('node')];
const QUEUES = [left('agent'), left('instance'), right('P0'), right('P1'), right('P2')];

/** A line a request. Ends with a newline. */
export function requestsText({ requests }: RequestList): string {
  if (requests.length === 0) return 'no requests\n';
  const rows = requests.map(({ requestId, state, lane, mode, acceptedAt, deadlineAt }) => [
    requestId,
    state,
    lane,
    mode,
    momentOf(acceptedAt),
    momentOf(deadlineAt),
  ]);
  return table(REQUESTS, rows);
}

function callbackLine({ callback }: RequestStatus): string {
  if (callback === null) return '';
  const { state, attempts, lastError } = callback;
  const why = lastError === null ? '' : `: ${lastError}`;
  return `callback ${printable(`${state.replace('_', ' ')}, ${attempts} sent${why}`)}\n`;
}

/** Where a request is, how it came there, and its answer. Ends with a newline. */
export function requestText(request: RequestStatus): string {
  const { requestId, state, lane, mode, deadlineAt, history, answer } = request;
  const rows = history.map(({ state: entered, at, attempt, node }) => [
    entered,
    momentOf(at),
    attempt === undefined ? '-' : String(attempt),
    node,
  ]);
  const end = answer === null ? `ends by ${momentOf(deadlineAt)}\n` : dispatchText(answer);
  const head = printable(`${requestId}  ${state}  ${lane}  ${mode}`);
  return `${head}\n${table(HISTORY, rows)}${callbackLine(request)}${end}`;
}

const BY_LANE = ['P0', 'P1', 'P2'] as const;
type ByLane = Queues['requests']['waiting'];
const counts = (byLane: ByLane) => BY_LANE.map((lane) => String(byLane[lane]));

/** The slots of every instance, used of all, with who waits for those of an agent. Ends with a newline. */
export function queuesText({ agents, requests }: Queues): string {
  const rows = agents.flatMap(({ agentName, instances, waiting }) => [
    ...instances.map(({ instanceId, lanes }) => [
      agentName,
      instanceId,
      ...BY_LANE.map((lane) => `${lanes[lane].used}/${lanes[lane].slots}`),
    ]),
    [agentName, '(waiting)', ...counts(waiting)],
  ]);
  return table(QUEUES, [
    ...rows,
    ['(asynchronous)', '(waiting)', ...counts(requests.waiting)],
    ['(asynchronous)', '(running)', ...counts(requests.running)],
  ]);
}
