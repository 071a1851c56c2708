import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import { within } from '../running-calls.js';
import type { SessionContent } from '../wire/sessions.js';
import { changed, type SessionState, sessionOf } from './session.js';
import type { SessionStore, SessionSummary, StoredSession } from './session-store.js';

/** A request waits no longer for what was said before. */
const READ_MS = 100;
/** Nor an answer for its being kept, all repeats together. */
const WRITE_MS = 1_000;

export interface SessionsParts {
  readonly store: SessionStore;
  readonly team: string;
  readonly clock: Clock;
}

/** The conversations that are remembered. */
export class Sessions {
  readonly #parts: SessionsParts;

  constructor(parts: SessionsParts) {
    this.#parts = parts;
  }

  /** @throws ReachError SESSION_UNKNOWN, STORE_UNAVAILABLE */
  async get(sessionId: string): Promise<StoredSession> {
    const session = await this.#kept(sessionId);
    if (session === undefined || this.#isOver(session)) throw unknown(sessionId);
    return session;
  }

  /** One that is not there yet is empty. @throws ReachError DEADLINE_EXCEEDED after 100 ms, STORE_UNAVAILABLE */
  read(sessionId: string): Promise<SessionState> {
    return within(READ_MS, this.#parts.clock, () => this.#current(sessionId));
  }

  /**
   * Puts new content in place of that of a revision; 0: there is none yet.
   * @throws ReachError REVISION_STALE, BODY_TOO_LARGE, STORE_UNAVAILABLE
   */
  async replace(sessionId: string, content: SessionContent, revision: number): Promise<StoredSession> {
    const { store, team, clock } = this.#parts;
    const kept = await this.#kept(sessionId);
    const seen = kept === undefined || this.#isOver(kept) ? 0 : kept.revision;
    const session = changed(sessionOf(sessionId, kept?.revision ?? 0, content), clock.now());
    if (seen !== revision || !(await store.save(team, session))) {
      const detail = `The session ${sessionId} is not at revision ${revision} (any more).`;
      throw new ReachError('REVISION_STALE', detail);
    }
    return session;
  }

  /**
   * Changes a session, again on what others made of it meanwhile, until it is kept.
   * @throws ReachError DEADLINE_EXCEEDED after a second, BODY_TOO_LARGE, STORE_UNAVAILABLE
   */
  update(sessionId: string, change: (session: SessionState) => SessionState): Promise<void> {
    const { store, team, clock } = this.#parts;
    return within(WRITE_MS, clock, async (end) => {
      let isKept = false;
      while (!isKept && !end.signal.aborted) {
        const session = changed(change(await this.#current(sessionId)), clock.now());
        isKept = await store.save(team, session);
      }
    });
  }

  /** @throws ReachError SESSION_UNKNOWN, STORE_UNAVAILABLE */
  async remove(sessionId: string): Promise<void> {
    const { store, team } = this.#parts;
    if (!(await store.remove(team, sessionId))) throw unknown(sessionId);
  }

  /** The one that changed last first. @throws ReachError STORE_UNAVAILABLE */
  list(limit: number): Promise<SessionSummary[]> {
    const { store, team, clock } = this.#parts;
    return store.list(team, { nowMs: clock.now(), limit });
  }

  /** Lets go of some of those that are over; true where more is left to do. */
  prune(): Promise<boolean> {
    const { store, team, clock } = this.#parts;
    return store.prune(team, clock.now());
  }

  #kept(sessionId: string): Promise<StoredSession | undefined> {
    return this.#parts.store.find(this.#parts.team, sessionId);
  }

  /** What is over is forgotten, but its revision counts on: nobody who still knows it can write over a new one. */
  async #current(sessionId: string): Promise<SessionState> {
    const kept = await this.#kept(sessionId);
    return kept === undefined || this.#isOver(kept) ? sessionOf(sessionId, kept?.revision ?? 0) : kept;
  }

  #isOver({ expiresAtMs }: StoredSession): boolean {
    return expiresAtMs <= this.#parts.clock.now();
  }
}

function unknown(sessionId: string): ReachError {
  return new ReachError('SESSION_UNKNOWN', `No session ${sessionId} is kept.`);
}
