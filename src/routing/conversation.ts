/** Who served a conversation last. */
export interface Affinity {
  readonly agentName: string;
  /** Of the instance's program, where it says one. */
  readonly version: string | null;
}

/** What is known of the conversation that a request belongs to. */
export interface Conversation {
  readonly affinity?: Affinity | undefined;
}
