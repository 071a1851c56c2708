import type { Clock } from '../clock.js';
import type { OpenedHandoff } from '../handoff/open-handoff.js';
import { type StoredTicket, ticketAt } from '../handoff/ticket.js';
import type { Labels } from '../labels/open-labels.js';
import { refuseUnlessCapability } from '../record/right-capability.js';
import type { Registry } from '../registry/registry.js';
import { camelCheckOf } from '../wire/check.js';
import { LIMITS } from '../wire/limits.js';
import {
  type Ticket,
  type TicketClaim,
  TicketClaimSchema,
  type TicketList,
  type TicketRelease,
  TicketReleaseSchema,
  type TicketResolution,
  TicketResolutionSchema,
} from '../wire/tickets.js';
import { type OpenCalls, refuseUnlessFit, refuseUnlessWhole } from './open-calls.js';

export interface TicketListQuery {
  readonly state?: Ticket['state'];
  /** 1 to 100, by default 100. */
  readonly limit?: number;
}

/** The questions that people are asked. */
export interface TicketCalls {
  /** Those whose cause came last, first. @throws ReachError INVALID_REQUEST, STORE_UNAVAILABLE, CLOSED */
  tickets(query?: TicketListQuery): Promise<TicketList>;
  /** @throws ReachError TICKET_UNKNOWN, STORE_UNAVAILABLE, CLOSED */
  ticket(ticketId: string): Promise<Ticket>;
  /**
   * Takes a ticket on for a while; again: for longer.
   * @throws ReachError INVALID_REQUEST, TICKET_UNKNOWN, TICKET_TAKEN, TICKET_RESOLVED, STORE_UNAVAILABLE, CLOSED
   */
  claimTicket(ticketId: string, claim: TicketClaim): Promise<Ticket>;
  /** Gives it back to the queue. @throws ReachError as claimTicket */
  releaseTicket(ticketId: string, release: TicketRelease): Promise<Ticket>;
  /** Ends it. @throws ReachError as claimTicket; CAPABILITY_UNKNOWN */
  resolveTicket(ticketId: string, resolution: TicketResolution): Promise<Ticket>;
}

interface TicketParts {
  readonly handoff: OpenedHandoff;
  readonly labels: Labels;
  readonly registry: Registry;
  readonly clock: Clock;
}

const checkClaim = camelCheckOf(TicketClaimSchema);
const checkRelease = camelCheckOf(TicketReleaseSchema);
const checkResolution = camelCheckOf(TicketResolutionSchema);

export function ticketCalls(
  { handoff, labels, registry, clock }: TicketParts,
  calls: OpenCalls,
): TicketCalls {
  const { desk } = handoff;
  const shown = async (stored: Promise<StoredTicket>) => ticketAt(await calls.track(stored), clock.now());

  return {
    async tickets({ state, limit = LIMITS.historyItems } = {}) {
      calls.refuseIfClosing();
      refuseUnlessWhole('/limit', limit, LIMITS.historyItems);
      const found = await calls.track(desk.list({ state, limit }));
      return { tickets: found.map((stored) => ticketAt(stored, clock.now())) };
    },

    async ticket(ticketId) {
      calls.refuseIfClosing();
      return shown(desk.find(ticketId));
    },

    async claimTicket(ticketId, claim) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkClaim, claim);
      return shown(desk.claim(ticketId, claim));
    },

    async releaseTicket(ticketId, release) {
      calls.refuseIfClosing();
      refuseUnlessFit(checkRelease, release);
      return shown(desk.release(ticketId, release));
    },

    async resolveTicket(ticketId, resolution) {
      calls.refuseUnlessOpen();
      refuseUnlessFit(checkResolution, resolution);
      const { rightCapability } = resolution;
      if (rightCapability !== undefined) refuseUnlessCapability(rightCapability, registry.snapshot);
      const ticket = await shown(desk.resolve(ticketId, resolution));
      labels.gatherer.resolved(ticket);
      return ticket;
    },
  };
}
