import type { MembershipSetup, MembershipState } from './membership.js';

/** What the thread that beats is started with. */
export interface BeatThreadData {
  readonly setup: MembershipSetup;
  /** One Int32: how many tasks are under way, written by the agent's thread and read with every beat. */
  readonly pending: SharedArrayBuffer;
}

/** What the agent's thread asks for; each is answered by `done` of the same name. */
export type BeatRequest = 'drain' | 'leave';

/** What the thread that beats tells. */
export type BeatMessage =
  | { readonly kind: 'state'; readonly state: MembershipState }
  | { readonly kind: 'log'; readonly level: 'info' | 'warn'; readonly message: string }
  | { readonly kind: 'done'; readonly request: BeatRequest };
