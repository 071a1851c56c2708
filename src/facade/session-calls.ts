import type { StoredSession } from '../sessions/session-store.js';
import type { Sessions } from '../sessions/sessions.js';
import { camelCheckOf } from '../wire/check.js';
import { LIMITS } from '../wire/limits.js';
import {
  type Session,
  type SessionContent,
  SessionContentSchema,
  type SessionList,
  type SessionRemoved,
} from '../wire/sessions.js';
import { type OpenCalls, refuseUnlessFit, refuseUnlessWhole } from './open-calls.js';

export interface SessionListQuery {
  /** 1 to 100, by default 100. */
  readonly limit?: number;
}

/** What is remembered of conversations. */
export interface SessionCalls {
  /** @throws ReachError SESSION_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  session(sessionId: string): Promise<Session>;
  /** The one that changed last first. @throws ReachError INVALID_REQUEST, STORE_UNAVAILABLE, CLOSED */
  sessions(query?: SessionListQuery): Promise<SessionList>;
  /**
   * Puts content in place of that of `revision`; 0: there is none yet. What is left out is empty then.
   * @throws ReachError INVALID_REQUEST, REVISION_STALE, BODY_TOO_LARGE over 64 KB, STORE_UNAVAILABLE, CLOSED
   */
  saveSession(sessionId: string, content: SessionContent, revision: number): Promise<Session>;
  /** @throws ReachError SESSION_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  removeSession(sessionId: string): Promise<SessionRemoved>;
}

const checkContent = camelCheckOf(SessionContentSchema);

const timeOf = (ms: number) => new Date(ms).toISOString();

function withTimes<Kept extends Pick<StoredSession, 'updatedAtMs' | 'expiresAtMs'>>(session: Kept) {
  const { updatedAtMs, expiresAtMs, ...rest } = session;
  return { ...rest, updatedAt: timeOf(updatedAtMs), expiresAt: timeOf(expiresAtMs) };
}

export function sessionCalls({ sessions }: { readonly sessions: Sessions }, calls: OpenCalls): SessionCalls {
  return {
    async session(sessionId) {
      calls.refuseIfClosing();
      return withTimes(await calls.track(sessions.get(sessionId)));
    },

    async sessions({ limit = LIMITS.historyItems } = {}) {
      calls.refuseIfClosing();
      refuseUnlessWhole('/limit', limit, LIMITS.historyItems);
      return { sessions: (await calls.track(sessions.list(limit))).map(withTimes) };
    },

    async saveSession(sessionId, content, revision) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkContent, content);
      return withTimes(await calls.track(sessions.replace(sessionId, content, revision)));
    },

    async removeSession(sessionId) {
      calls.refuseIfClosing();
      await calls.track(sessions.remove(sessionId));
      return { sessionId };
    },
  };
}
