/** One request of a conversation and what became of it. */
export interface SessionRound {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly intent: string | null;
  readonly agentName: string | null;
  readonly capabilityId: string | null;
  /** What the agent said. */
  readonly reply: string | null;
}
