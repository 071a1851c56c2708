import { sessionOf } from '../../src/sessions/session.js';
import type { StoredSession } from '../../src/sessions/session-store.js';

/** A session as it is kept, empty but for what is said. */
export function storedSession(sessionId: string, extra: Partial<StoredSession> = {}): StoredSession {
  return {
    ...sessionOf(sessionId, 1),
    updatedAtMs: 1_000,
    expiresAtMs: 9_000,
    ...extra,
  };
}
