import { ReachError } from '../errors.js';
import { LIMITS } from '../wire/limits.js';
import { type SessionContent, sessionContentCodec } from '../wire/sessions.js';
import type { StoredSession } from './session-store.js';

const HOUR_MS = 3_600_000;
/** How long a session is kept after its last change. */
const KEPT_MS = { chat: HOUR_MS, task: 24 * HOUR_MS } as const;

/** All that a session holds; `revision` 0: it is not there yet. */
export type SessionState = Required<SessionContent> & Pick<StoredSession, 'sessionId' | 'revision'>;

const EMPTY: Required<SessionContent> = {
  kind: 'chat',
  userId: null,
  intent: null,
  entities: {},
  rounds: [],
  confirmations: [],
  summary: null,
  payloadRef: null,
  affinity: null,
};

/** A session with this content and nothing else. */
export function sessionOf(sessionId: string, revision: number, content: SessionContent = {}): SessionState {
  return { ...EMPTY, ...content, sessionId, revision };
}

/** Whether it may be kept: 64 KB as JSON. */
export function fits(session: SessionContent): boolean {
  return Buffer.byteLength(JSON.stringify(sessionContentCodec.encode(session))) <= LIMITS.sessionBytes;
}

/** The session after the one of its revision, changed at `nowMs`. @throws ReachError BODY_TOO_LARGE */
export function changed(session: SessionState, nowMs: number): StoredSession {
  if (!fits(session)) {
    throw new ReachError('BODY_TOO_LARGE', `A session may hold ${LIMITS.sessionBytes} bytes at most.`);
  }
  return {
    ...session,
    revision: session.revision + 1,
    updatedAtMs: nowMs,
    expiresAtMs: nowMs + KEPT_MS[session.kind],
  };
}
