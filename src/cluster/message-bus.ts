/**
 * What replicas tell each other at once, and what nobody may rely on: messages are lost while the store is away. A port;
 * `storage/` implements it.
 */
export interface MessageBus {
  /**
   * Tells all other replicas of the team. Several messages may travel together, a few milliseconds later; those of one
   * replica come in the order in which they were sent. `message`: anything that JSON can hold. Never throws.
   */
  send(team: string, topic: string, message: unknown): void;
  /** `take` hears what others send, and must not throw. Returns how to end it. */
  listen(team: string, topic: string, take: (message: unknown, from: string) => void): () => void;
  /** Called when messages may have been missed. Returns how to end it. */
  onGap(listener: () => void): () => void;
}

/** Of a process that shares its store with nobody. */
export const NOBODY_ELSE: MessageBus = Object.freeze({
  send() {},
  listen: () => () => {},
  onGap: () => () => {},
});
