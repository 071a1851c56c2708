import { PayloadError } from 'agent-reach-sdk';
import type { AgentProgram, TaskAnswer } from '../../src/demo/agent-program.js';

type Payload = Record<string, unknown> | null;

/** Calls a capability as the server does. */
export function ask(program: AgentProgram, capabilityId: string, payload: Payload, intent = ''): TaskAnswer {
  const execute = program.get(capabilityId);
  if (execute === undefined) throw new Error(`no capability ${capabilityId}`);
  return execute({ intent, payload });
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
