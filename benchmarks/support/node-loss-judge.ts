import type { DispatchRequestWire } from '../../src/wire/dispatch.js';
import { faultsOfEnd, type SeenRequest } from './request-end-judge.js';
import type { Execution } from './work-agent-process.js';

/** One accepted request, as its caller and the agents saw it. */
export interface Survivor {
  readonly request: DispatchRequestWire;
  readonly seen: SeenRequest;
  readonly executions: readonly Execution[];
}

/** What became of accepted requests in whose midst the service was killed; lists of sentences, empty where all is well. */
export interface NodeLoss {
  readonly requests: number;
  /** Those that an agent had begun and not ended when it was killed. */
  readonly underWay: number;
  readonly completed: number;
  /** Failed because repeating was not allowed. */
  readonly nodeLost: number;
  readonly wronglyEnded: readonly string[];
  /** Carried out more often than is allowed, or than is told. */
  readonly repeated: readonly string[];
}

export function judgeNodeLoss(survivors: readonly Survivor[], underWay: number): NodeLoss {
  return {
    requests: survivors.length,
    underWay,
    completed: survivors.filter(({ seen }) => endOf(seen) === 'completed').length,
    nodeLost: survivors.filter(({ seen }) => endOf(seen) === 'NODE_LOST').length,
    wronglyEnded: survivors.flatMap((survivor) => [
      ...faultsOfEnd(survivor.seen, survivor.executions),
      ...faultsAfterLoss(survivor),
    ]),
    repeated: survivors.flatMap(repetition),
  };
}

/** `completed`, the code of its error, or its state. */
function endOf(seen: SeenRequest): string | undefined {
  return seen.kind === 'lost' ? undefined : (seen.status.answer?.error?.code ?? seen.status.state);
}

const statesOf = (seen: SeenRequest) =>
  seen.kind === 'lost' ? [] : seen.status.history.map(({ state }) => state);

const mayRepeat = ({ capability_id }: DispatchRequestWire) => capability_id === 'read';

/** Lost with its node may only be what may have been carried out, must not be again, and nobody answers later. */
function faultsAfterLoss({ request, seen }: Survivor): string[] {
  const end = endOf(seen);
  if (end === undefined || end === 'completed') return [];
  const states = statesOf(seen);
  const waitsForReply = request.payload?.way === 'later' && states.includes('acknowledged');
  const rightly =
    end === 'NODE_LOST' && !mayRepeat(request) && states.includes('delivered') && !waitsForReply;
  return rightly ? [] : [`${seen.requestId} ended as ${end} after ${states.join(', ')}`];
}

function repetition({ request, seen, executions }: Survivor): string[] {
  const told = statesOf(seen).filter((state) => state === 'delivered').length;
  const allowed = mayRepeat(request) ? told : 1;
  return executions.length <= allowed
    ? []
    : [
        `${seen.requestId} was carried out ${executions.length} times, of which ${allowed} are told or allowed`,
      ];
}
