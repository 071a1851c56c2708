import { randomUUID } from 'node:crypto';
import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { TicketClaim, TicketRelease, TicketResolution } from '../wire/tickets.js';
import type { Cause } from './causes.js';
import type { Occasion } from './occasion.js';
import { claimed, released, resolved, returned, type StoredTicket } from './ticket.js';
import { ticketRequestOf } from './ticket-request.js';
import type { TicketQuery, TicketStore } from './ticket-store.js';

/** Tickets that are not resolved; the last places are not for those of low confidence, of which there may be no end. */
const MOST_UNRESOLVED = 10_000;
const MOST_UNRESOLVED_LOW_CONFIDENCE = 9_000;
const REQUESTS_KEPT = 10;
const DEFAULT_CLAIM_MS = 900_000;
const RESOLVED_KEPT_MS = 30 * 24 * 3_600_000;
/** Whoever loses a race so often meets a store that does not keep its promises. */
const MOST_RACES = 100;
/** People are told again when a ticket has grown to one of these. */
const TOLD_COUNTS = [10, 100, 1_000] as const;

/** What people are told of a ticket. */
export type TicketNews = 'opened' | 'returned' | 'grown';

export interface TicketDeskParts {
  readonly store: TicketStore;
  readonly team: string;
  /** That of the records. */
  readonly salt: string;
  readonly clock: Clock;
  /** Must not throw. */
  readonly tell: (news: TicketNews, ticket: StoredTicket) => Promise<void>;
}

/** Occasions of one cause that wait to be written together. */
interface Arrivals {
  cause: Cause;
  count: number;
  /** The last of them, oldest first: as many as a ticket tells of. */
  occasions: readonly Occasion[];
  readonly ticketId: Promise<string | undefined>;
}

/** Keeps the questions for people: opens or joins a ticket, and lets people claim, release and resolve it. */
export class TicketDesk {
  readonly #parts: TicketDeskParts;
  /** The last write of each cause that has not ended. */
  readonly #writing = new Map<string, Promise<unknown>>();
  readonly #arrivals = new Map<string, Arrivals>();

  constructor(parts: TicketDeskParts) {
    this.#parts = parts;
  }

  /**
   * Opens a ticket or joins the one of the same cause, and gives its id; undefined where there is no room for another.
   * However many come at once, those of a cause that wait for the store are written together.
   * @throws ReachError STORE_UNAVAILABLE
   */
  open(cause: Cause, occasion: Occasion): Promise<string | undefined> {
    const waiting = this.#arrivals.get(cause.key);
    if (waiting !== undefined) {
      waiting.cause = cause;
      waiting.count += 1;
      waiting.occasions = [...waiting.occasions, occasion].slice(-REQUESTS_KEPT);
      return waiting.ticketId;
    }
    const { key } = cause;
    const before = this.#writing.get(key) ?? Promise.resolve();
    const ticketId: Promise<string | undefined> = before
      .catch(() => {})
      .then(() => {
        this.#arrivals.delete(key);
        return this.#openOrJoin(arrivals);
      });
    const arrivals: Arrivals = { cause, count: 1, occasions: [occasion], ticketId };
    this.#arrivals.set(key, arrivals);
    const written = ticketId
      .catch(() => {})
      .then(() => {
        if (this.#writing.get(key) === written) this.#writing.delete(key);
      });
    this.#writing.set(key, written);
    return ticketId;
  }

  /** @throws ReachError TICKET_UNKNOWN, TICKET_RESOLVED, TICKET_TAKEN, STORE_UNAVAILABLE */
  claim(ticketId: string, { by, forMs = DEFAULT_CLAIM_MS }: TicketClaim): Promise<StoredTicket> {
    return this.#change(ticketId, (ticket, now) => claimed(ticket, by, forMs, now));
  }

  /** @throws ReachError TICKET_UNKNOWN, TICKET_RESOLVED, TICKET_TAKEN, STORE_UNAVAILABLE */
  release(ticketId: string, { by }: TicketRelease): Promise<StoredTicket> {
    return this.#change(ticketId, (ticket, now) => released(ticket, by, now));
  }

  /** @throws ReachError TICKET_UNKNOWN, TICKET_RESOLVED, TICKET_TAKEN, STORE_UNAVAILABLE */
  resolve(ticketId: string, resolution: TicketResolution): Promise<StoredTicket> {
    return this.#change(ticketId, (ticket, now) => resolved(ticket, resolution, now));
  }

  /** @throws ReachError TICKET_UNKNOWN, STORE_UNAVAILABLE */
  async find(ticketId: string): Promise<StoredTicket> {
    const { store, team } = this.#parts;
    const ticket = await store.find(team, ticketId);
    if (ticket === undefined) throw new ReachError('TICKET_UNKNOWN', `No ticket ${ticketId} is kept.`);
    return ticket;
  }

  /** Those whose cause came last, first. @throws ReachError STORE_UNAVAILABLE */
  async list(query: TicketQuery): Promise<StoredTicket[]> {
    await this.returnClaims();
    return this.#parts.store.list(this.#parts.team, query);
  }

  /** How many are not resolved. @throws ReachError STORE_UNAVAILABLE */
  unresolved(): Promise<number> {
    return this.#parts.store.unresolved(this.#parts.team);
  }

  /** Puts those back whose claim has ended, and tells people. @throws ReachError STORE_UNAVAILABLE */
  async returnClaims(): Promise<void> {
    const { store, team, clock, tell } = this.#parts;
    for (const ticket of await store.claimsOver(team, clock.now())) {
      const back = returned(ticket, clock.now());
      // Where it cannot be saved somebody has claimed it meanwhile.
      if (back !== undefined && (await store.save(team, back))) await tell('returned', back);
    }
  }

  /** Lets go of some of what was resolved long ago; true where more is left. @throws ReachError STORE_UNAVAILABLE */
  prune(): Promise<boolean> {
    const { store, team, clock } = this.#parts;
    return store.prune(team, clock.now() - RESOLVED_KEPT_MS);
  }

  async #openOrJoin(arrivals: Arrivals): Promise<string | undefined> {
    const { store, team, tell } = this.#parts;
    const { cause } = arrivals;
    const most = cause.cause === 'low_confidence' ? MOST_UNRESOLVED_LOW_CONFIDENCE : MOST_UNRESOLVED;
    for (let race = 0; race < MOST_RACES; race += 1) {
      const known = await store.unresolvedOf(team, cause.key);
      if (known !== undefined) {
        const grown = this.#joined(known, arrivals);
        if (!(await store.save(team, grown))) continue;
        if (TOLD_COUNTS.some((count) => known.count < count && count <= grown.count))
          await tell('grown', grown);
        return grown.ticketId;
      }
      const ticket = this.#fresh(arrivals);
      const created = await store.create(team, ticket, most);
      if (created === 'full') return undefined;
      if (created === 'taken') continue;
      await tell('opened', ticket);
      return ticket.ticketId;
    }
    throw new ReachError('STORE_UNAVAILABLE', `The ticket of ${cause.cause} cannot be written.`);
  }

  #fresh(arrivals: Arrivals): StoredTicket {
    const { cause } = arrivals;
    const now = this.#parts.clock.now();
    const empty: StoredTicket = {
      ticketId: `tk_${randomUUID()}`,
      cause: cause.cause,
      causeKey: cause.key,
      sentence: cause.sentence,
      count: 0,
      firstAtMs: now,
      lastAtMs: now,
      requests: [],
      decision: null,
      attempts: [],
      standing: { state: 'open' },
      revision: 0,
    };
    return this.#joined(empty, arrivals);
  }

  #joined(ticket: StoredTicket, { cause, count, occasions }: Arrivals): StoredTicket {
    const { clock, salt } = this.#parts;
    const now = clock.now();
    const added = occasions.map((occasion) => ticketRequestOf(occasion, salt, now));
    const last = occasions.at(-1);
    return {
      ...ticket,
      sentence: cause.sentence,
      count: ticket.count + count,
      lastAtMs: now,
      requests: [...ticket.requests, ...added].slice(-REQUESTS_KEPT),
      decision: last?.decision ?? null,
      attempts: last?.answer?.attempts ?? [],
      revision: ticket.revision + 1,
    };
  }

  /** Two who race are told apart by the revision: who comes second sees what the first one did. */
  async #change(
    ticketId: string,
    change: (ticket: StoredTicket, nowMs: number) => StoredTicket,
  ): Promise<StoredTicket> {
    const { store, team, clock } = this.#parts;
    for (let race = 0; race < MOST_RACES; race += 1) {
      const ticket = change(await this.find(ticketId), clock.now());
      if (await store.save(team, ticket)) return ticket;
    }
    throw new ReachError('STORE_UNAVAILABLE', `${ticketId} cannot be written.`);
  }
}
