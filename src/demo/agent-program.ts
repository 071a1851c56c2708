/** One call as a sample agent sees it, whatever protocol brought it. */
export interface AgentTask {
  /** What the person said; '' where a program called. */
  readonly intent: string;
  readonly payload: Readonly<Record<string, unknown>> | null;
}

/** What a sample agent gives back: a result for programs, a reply for people. */
export interface TaskAnswer {
  readonly result: unknown;
  readonly reply?: string;
  readonly needHumanHandoff?: boolean;
}

/**
 * What one capability does. Answers are computed at once, so there is nothing to wait for.
 * @throws ReachError PAYLOAD_INVALID where the payload makes no sense or says too little.
 */
export type Execute = (task: AgentTask) => TaskAnswer;

/** A sample agent: the capabilities of its manifest by id. */
export type AgentProgram = ReadonlyMap<string, Execute>;
