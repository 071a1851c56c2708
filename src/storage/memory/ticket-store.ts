import type { StoredTicket } from '../../handoff/ticket.js';
import type { TicketQuery, TicketStore } from '../../handoff/ticket-store.js';

/** Resolved tickets that are kept: some 30 MB where they are long. */
export const RESOLVED_IN_MEMORY = 1_000;

interface Tickets {
  readonly byId: Map<string, StoredTicket>;
  /** The ids of those that are not resolved. */
  readonly byCause: Map<string, string>;
  /** The ids of those that are, oldest first. */
  readonly resolved: Set<string>;
}

/** Tickets for as long as the process lives. They are never changed, only replaced, so none is copied. */
export class MemoryTicketStore implements TicketStore {
  readonly #teams = new Map<string, Tickets>();

  async create(team: string, ticket: StoredTicket, mostUnresolved: number) {
    const { byId, byCause } = this.#tickets(team);
    if (byCause.has(ticket.causeKey)) return 'taken';
    if (byCause.size >= mostUnresolved) return 'full';
    byId.set(ticket.ticketId, ticket);
    byCause.set(ticket.causeKey, ticket.ticketId);
    return 'created';
  }

  async save(team: string, ticket: StoredTicket): Promise<boolean> {
    const { byId, byCause, resolved } = this.#tickets(team);
    if (byId.get(ticket.ticketId)?.revision !== ticket.revision - 1) return false;
    byId.set(ticket.ticketId, ticket);
    if (ticket.standing.state === 'resolved') {
      byCause.delete(ticket.causeKey);
      resolved.add(ticket.ticketId);
      if (resolved.size > RESOLVED_IN_MEMORY) this.#forgetFirstResolved(team);
    }
    return true;
  }

  async find(team: string, ticketId: string): Promise<StoredTicket | undefined> {
    return this.#tickets(team).byId.get(ticketId);
  }

  async unresolvedOf(team: string, causeKey: string): Promise<StoredTicket | undefined> {
    const { byId, byCause } = this.#tickets(team);
    const ticketId = byCause.get(causeKey);
    return ticketId === undefined ? undefined : byId.get(ticketId);
  }

  async list(team: string, { state, limit }: TicketQuery): Promise<StoredTicket[]> {
    return [...this.#tickets(team).byId.values()]
      .filter(({ standing }) => (state ?? standing.state) === standing.state)
      .sort((one, other) => other.lastAtMs - one.lastAtMs)
      .slice(0, limit);
  }

  async claimsOver(team: string, nowMs: number): Promise<StoredTicket[]> {
    const isOver = ({ standing }: StoredTicket) => standing.state === 'claimed' && standing.untilMs <= nowMs;
    return [...this.#tickets(team).byId.values()].filter(isOver);
  }

  async unresolved(team: string): Promise<number> {
    return this.#tickets(team).byCause.size;
  }

  async prune(team: string, resolvedBeforeMs: number): Promise<boolean> {
    const { byId, resolved } = this.#tickets(team);
    for (const ticketId of resolved) {
      const standing = byId.get(ticketId)?.standing;
      if (standing?.state !== 'resolved' || standing.atMs >= resolvedBeforeMs) break;
      this.#forgetFirstResolved(team);
    }
    return false;
  }

  #forgetFirstResolved(team: string): void {
    const { byId, resolved } = this.#tickets(team);
    const [first] = resolved;
    if (first === undefined) return;
    resolved.delete(first);
    byId.delete(first);
  }

  #tickets(team: string): Tickets {
    let tickets = this.#teams.get(team);
    if (tickets === undefined) {
      tickets = { byId: new Map(), byCause: new Map(), resolved: new Set() };
      this.#teams.set(team, tickets);
    }
    return tickets;
  }
}
