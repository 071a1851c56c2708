import type { SessionStore, SessionSummary, StoredSession } from '../../sessions/session-store.js';

/** Sessions of a team that are kept in memory. */
const SESSIONS_IN_MEMORY = 100_000;

/** Sessions for as long as the process lives. */
export class MemorySessionStore implements SessionStore {
  readonly #most: number;
  /** Of each team, in the order of their last changes. */
  readonly #teams = new Map<string, Map<string, StoredSession>>();

  /** `most`: how many are kept of a team. */
  constructor(most = SESSIONS_IN_MEMORY) {
    this.#most = most;
  }

  async find(team: string, sessionId: string): Promise<StoredSession | undefined> {
    const session = this.#team(team).get(sessionId);
    return session && structuredClone(session);
  }

  async save(team: string, session: StoredSession): Promise<boolean> {
    const sessions = this.#team(team);
    const { sessionId, revision } = session;
    if ((sessions.get(sessionId)?.revision ?? 0) !== revision - 1) return false;
    sessions.delete(sessionId);
    sessions.set(sessionId, structuredClone(session));
    const [oldest] = sessions.keys();
    if (sessions.size > this.#most && oldest !== undefined) sessions.delete(oldest);
    return true;
  }

  async remove(team: string, sessionId: string): Promise<boolean> {
    return this.#team(team).delete(sessionId);
  }

  async list(
    team: string,
    { nowMs, limit }: { readonly nowMs: number; readonly limit: number },
  ): Promise<SessionSummary[]> {
    return [...this.#team(team).values()]
      .filter(({ expiresAtMs }) => expiresAtMs > nowMs)
      .slice(-limit)
      .reverse()
      .map(({ sessionId, kind, userId, intent, revision, updatedAtMs, expiresAtMs }) => ({
        sessionId,
        kind,
        userId,
        intent,
        revision,
        updatedAtMs,
        expiresAtMs,
      }));
  }

  async prune(team: string, nowMs: number): Promise<boolean> {
    const sessions = this.#team(team);
    for (const { sessionId, expiresAtMs } of sessions.values()) {
      if (expiresAtMs <= nowMs) sessions.delete(sessionId);
    }
    return false;
  }

  #team(team: string): Map<string, StoredSession> {
    let sessions = this.#teams.get(team);
    if (sessions === undefined) {
      sessions = new Map();
      this.#teams.set(team, sessions);
    }
    return sessions;
  }
}
