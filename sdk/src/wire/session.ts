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

/** A conversation as its callers and agents write it. */
export interface SessionContent {
  /** A chat (default) is kept for 1 h after its last change, a task for 24 h. */
  readonly kind?: 'chat' | 'task';
  readonly userId?: string | null;
  /** What it is about. */
  readonly intent?: string | null;
  /** What agents have found out in it so far, by the names that they gave. */
  readonly entities?: Readonly<Record<string, unknown>>;
  readonly confirmations?: readonly unknown[];
  readonly summary?: string | null;
  readonly payloadRef?: string | null;
}

/** A conversation as the service remembers it. */
export interface Session extends Required<SessionContent> {
  readonly sessionId: string;
  /** The last three, the oldest first. */
  readonly rounds: readonly SessionRound[];
  /** Who served it last. */
  readonly affinity: { readonly agentName: string; readonly version: string | null } | null;
  /** Grows with every change. */
  readonly revision: number;
  /** ISO 8601, UTC, as is `expiresAt`. */
  readonly updatedAt: string;
  readonly expiresAt: string;
}
