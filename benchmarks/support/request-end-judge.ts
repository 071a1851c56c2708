import { isFinal, mayFollow } from '../../src/requests/request-state.js';
import type { RequestStatusWire } from '../../src/wire/requests.js';
import type { ToldEvent } from './request-client.js';
import type { Execution } from './work-agent-process.js';

/** A request, as its caller saw it. */
export type SeenRequest =
  | {
      readonly kind: 'ended';
      readonly requestId: string;
      /** The state in the answer that its caller waited for; undefined where it did not wait. */
      readonly told: string | undefined;
      /** As it stood after its end. */
      readonly status: RequestStatusWire;
      /** All that it told, looked at after its end. */
      readonly events: readonly ToldEvent[];
    }
  /** Its end was not seen. */
  | { readonly kind: 'lost'; readonly requestId: string; readonly problem: string };

/** Why a request did not end in exactly one final state that everybody was told alike. */
export function faultsOfEnd(request: SeenRequest, executions: readonly Execution[]): string[] {
  const { requestId } = request;
  if (request.kind === 'lost') return [`${requestId} was lost: ${request.problem}`];
  const { told, status, events } = request;
  const states = status.history.map(({ state }) => state);
  const finals = states.filter(isFinal);
  const leaps = states.filter((state, place) => place > 0 && !mayFollow(states[place - 1] ?? state, state));
  const ends = new Set([
    ...finals,
    states.at(-1),
    status.state,
    status.answer?.state,
    told ?? status.state,
    stateIn(events.at(-1)),
  ]);
  const toldStates = events.filter(({ event }) => event === 'state').map(stateIn);
  return [
    ...(finals.length === 1 ? [] : [`${requestId} has ${finals.length} final states`]),
    ...(ends.size === 1 ? [] : [`${requestId} is told to have ended as ${[...ends].join(', ')}`]),
    ...(leaps.length === 0 ? [] : [`${requestId} leapt: ${states.join(', ')}`]),
    ...(toldStates.join() === states.join() ? [] : [`${requestId} told other states: ${toldStates.join()}`]),
    ...(status.state === 'completed' && !executions.some(({ done }) => done)
      ? [`${requestId} is completed, and nobody did it`]
      : []),
  ];
}

function stateIn(event: ToldEvent | undefined): unknown {
  return (event?.data as { state?: unknown } | undefined)?.state;
}

/** Instances that a request came to twice without having waited in between. */
export function sameInstanceTwice({ request_id, history, answer }: RequestStatusWire): string[] {
  const found: string[] = [];
  const round = new Set<string>();
  for (const { state, attempt } of history) {
    if (state === 'retry_waiting') round.clear();
    const made = state === 'delivered' ? answer?.attempts[(attempt ?? 0) - 1] : undefined;
    if (made === undefined) continue;
    const instance = `${made.agent_name}/${made.instance_id}`;
    if (round.has(instance)) found.push(`${request_id} came to ${instance} again`);
    round.add(instance);
  }
  return found;
}
