/** Who served a conversation last. */
export interface Affinity {
  readonly agentName: string;
  /** Of the instance's program, where it says one. */
  readonly version: string | null;
}

/** What a conversation is about: the intent that stands, and the capability that it was sent to last. */
export interface Topic {
  readonly intent: string;
  readonly agentName: string;
  readonly capabilityId: string;
}

/** What is known of the conversation that a request belongs to. */
export interface Conversation {
  readonly affinity?: Affinity | undefined;
  readonly topic?: Topic | undefined;
}
