import { PayloadError } from 'agent-reach-sdk';
import type { AgentProgram, AgentTask, Execute, TaskAnswer } from '../../src/demo/agent-program.js';

type Payload = Record<string, unknown> | null;

/** What a capability told while it worked, in order. */
export type Told = readonly ['progress' | 'delta' | 'acknowledge', unknown];

interface Asking {
  readonly intent?: string;
  readonly session?: AgentTask['session'];
  readonly signal?: AbortSignal;
}

/** Calls a capability as the server does, and waits for its answer. */
export async function askToTheEnd(
  program: AgentProgram,
  capabilityId: string,
  payload: Payload,
  { intent = '', session, signal = new AbortController().signal }: Asking = {},
): Promise<{ answer: TaskAnswer; told: readonly Told[] }> {
  const told: Told[] = [];
  const answer = await executeOf(
    program,
    capabilityId,
  )({
    intent,
    payload,
    session,
    signal,
    progress: (data) => told.push(['progress', data]),
    delta: (text) => told.push(['delta', text]),
    acknowledge: (estimate) => told.push(['acknowledge', estimate]),
  });
  return { answer, told };
}

/** Calls a capability that answers at once. */
export function ask(program: AgentProgram, capabilityId: string, payload: Payload, intent = ''): TaskAnswer {
  const { signal } = new AbortController();
  const silent = { session: undefined, signal, progress() {}, delta() {}, acknowledge() {} };
  const answer = executeOf(program, capabilityId)({ intent, payload, ...silent });
  if (answer instanceof Promise) throw new Error(`${capabilityId} answers later`);
  return answer;
}

function executeOf(program: AgentProgram, capabilityId: string): Execute {
  const execute = program.get(capabilityId);
  if (execute === undefined) throw new Error(`no capability ${capabilityId}`);
  return execute;
}

/** The faults for which a capability refuses a payload. */
export function faultsOf(program: AgentProgram, capabilityId: string, payload: Payload, intent = '') {
  try {
    ask(program, capabilityId, payload, intent);
  } catch (error) {
    if (error instanceof PayloadError) return error.errors;
    throw error;
  }
  throw new Error('the payload was not refused');
}
