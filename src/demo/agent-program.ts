import type { AgentTask as ServedTask, TaskAnswer } from 'agent-reach-sdk';

export type { TaskAnswer };

/** What a sample agent looks at of a call, and what it tells while it works. */
export type AgentTask = Pick<
  ServedTask,
  'intent' | 'payload' | 'session' | 'signal' | 'progress' | 'delta' | 'acknowledge'
>;

/**
 * What one capability does. Most answers are computed at once; a payload is always looked at before this returns.
 * @throws PayloadError where the payload makes no sense or says too little.
 */
export type Execute = (task: AgentTask) => TaskAnswer | Promise<TaskAnswer>;

/** A sample agent: the capabilities of its manifest by id. */
export type AgentProgram = ReadonlyMap<string, Execute>;
