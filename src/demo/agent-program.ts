import type { AgentTask as ServedTask, TaskAnswer } from 'agent-reach-sdk';

export type { TaskAnswer };

/** What a sample agent looks at of a call. */
export type AgentTask = Pick<ServedTask, 'intent' | 'payload'>;

/**
 * What one capability does. Answers are computed at once, so there is nothing to wait for.
 * @throws PayloadError where the payload makes no sense or says too little.
 */
export type Execute = (task: AgentTask) => TaskAnswer;

/** A sample agent: the capabilities of its manifest by id. */
export type AgentProgram = ReadonlyMap<string, Execute>;
