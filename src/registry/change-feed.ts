/** A stored change that every replica has to follow. */
export type StoredChange = {
  readonly seq: number;
} /** `manifestVersion`: the one that serves from then on; undefined: the agent was removed. */ & (
  | { readonly kind: 'agent'; readonly agentName: string; readonly manifestVersion: number | undefined }
  | { readonly kind: 'instance'; readonly agentName: string; readonly instanceId: string }
  | { readonly kind: 'weights' }
);

export interface FeedPosition {
  /** The same for as long as the store keeps what it was given: another one where it has come back empty. */
  readonly life: string;
  /** Of the newest change: the team's one sequence, which its catalogue and its addresses count in. */
  readonly seq: number;
}

/** What has been changed in a store that several replicas share, in order. A port; `storage/` implements it. */
export interface ChangeFeed {
  position(team: string): Promise<FeedPosition>;
  /** Those after `seq`, oldest first; undefined where some of them are not kept any more. */
  after(team: string, seq: number): Promise<readonly StoredChange[] | undefined>;
  /** Called soon after each change, whoever made it, and after a time in which some may have been missed. Returns how to end it. */
  follow(team: string, listener: () => void): () => void;
}
