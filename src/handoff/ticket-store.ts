import type { StoredTicket } from './ticket.js';

export interface TicketQuery {
  readonly state: StoredTicket['standing']['state'] | undefined;
  readonly limit: number;
}

/** Where tickets are kept. A port; `storage/` implements it. Every write is durable when its promise resolves. */
export interface TicketStore {
  /**
   * Keeps a new ticket, where fewer than `mostUnresolved` are not resolved. `taken`: there is one of its cause
   * already, which is not resolved.
   */
  create(team: string, ticket: StoredTicket, mostUnresolved: number): Promise<'created' | 'taken' | 'full'>;
  /** Saves a ticket if the kept one still has the revision before its own. False: it has another, or is not there. */
  save(team: string, ticket: StoredTicket): Promise<boolean>;
  find(team: string, ticketId: string): Promise<StoredTicket | undefined>;
  /** The one that equal causes join. */
  unresolvedOf(team: string, causeKey: string): Promise<StoredTicket | undefined>;
  /** Those whose cause came last, first. */
  list(team: string, query: TicketQuery): Promise<StoredTicket[]>;
  /** Some of those whose claim ended before or at `nowMs`. */
  claimsOver(team: string, nowMs: number): Promise<StoredTicket[]>;
  /** How many are not resolved. */
  unresolved(team: string): Promise<number>;
  /** Lets go of some of those that were resolved before; true where more is left to do. */
  prune(team: string, resolvedBeforeMs: number): Promise<boolean>;
}
