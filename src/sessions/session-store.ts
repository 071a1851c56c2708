import type { Session } from '../wire/sessions.js';

/** A session as it is kept. */
export interface StoredSession extends Omit<Session, 'updatedAt' | 'expiresAt'> {
  readonly updatedAtMs: number;
  /** Whether it is over is not the store's to judge: one that is over is there until it is pruned. */
  readonly expiresAtMs: number;
}

/** What a list shows of a session. */
export type SessionSummary = Pick<
  StoredSession,
  'sessionId' | 'kind' | 'userId' | 'intent' | 'revision' | 'updatedAtMs' | 'expiresAtMs'
>;

/**
 * Where sessions are kept, as many as the adapter says: beyond them those go that changed the longest ago. A port;
 * `storage/` implements it. What was saved survives the process; it may be gone where the machine goes down soon after.
 */
export interface SessionStore {
  find(team: string, sessionId: string): Promise<StoredSession | undefined>;
  /** Saves a session if the kept one still has the revision before its own; 1 where there is none. False: it has not. */
  save(team: string, session: StoredSession): Promise<boolean>;
  /** False where there is none. */
  remove(team: string, sessionId: string): Promise<boolean>;
  /** Those that are not over at `nowMs`, the one that changed last first. */
  list(team: string, query: { readonly nowMs: number; readonly limit: number }): Promise<SessionSummary[]>;
  /** Lets go of some of those that are over at `nowMs`; true where more is left to do. */
  prune(team: string, nowMs: number): Promise<boolean>;
}
