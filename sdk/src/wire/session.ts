/** One request of a conversation and what became of it. */
export interface SessionRound {
  /** When it ended, ISO 8601, UTC. */
  readonly at: string;
  /** Null where a capability was named without one. */
  readonly intent: string | null;
  /** Null where nobody was asked to do it. */
  readonly agentName: string | null;
  readonly capabilityId: string | null;
  /** What the agent said. */
  readonly reply: string | null;
}

/** What a session is to hold; what is left out is empty. */
export interface SessionContent {
  /** A chat is kept for an hour after its last change, a task for 24 hours. */
  readonly kind?: 'chat' | 'task';
  readonly userId?: string | null;
  /** The intent that stands: what a follow-up goes on with. */
  readonly intent?: string | null;
  /** What agents keep for the conversation, by names of theirs. */
  readonly entities?: Readonly<Record<string, unknown>>;
  /** The last ones. */
  readonly rounds?: readonly SessionRound[];
  /** Questions that wait for their answer, the last one first. */
  readonly confirmations?: readonly {
    readonly routeId: string;
    readonly choices: readonly {
      readonly agentName: string;
      readonly capabilityId: string;
      readonly name: string;
    }[];
  }[];
  readonly summary?: string | null;
  /** Where a payload lies that is too large for a session. */
  readonly payloadRef?: string | null;
  /** Who served it last; it stays there as long as that can take work. */
  readonly affinity?: { readonly agentName: string; readonly version: string | null } | null;
}

/** What is remembered of a conversation. */
export interface Session extends Required<SessionContent> {
  readonly sessionId: string;
  /** Grows by one with every change. */
  readonly revision: number;
  /** ISO 8601, UTC, as is `expiresAt`. */
  readonly updatedAt: string;
  readonly expiresAt: string;
}
