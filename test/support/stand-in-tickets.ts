import { ReachError } from '../../src/errors.js';
import type { TicketCalls } from '../../src/facade/ticket-calls.js';
import type { Ticket } from '../../src/wire/tickets.js';

export const ticket: Ticket = {
  ticketId: 'tk_1',
  state: 'open',
  cause: 'low_confidence',
  sentence: 'Nobody is sure enough.',
  count: 2,
  firstAt: '2026-01-02T03:04:05.678Z',
  lastAt: '2026-01-02T03:05:05.678Z',
  claimedBy: null,
  claimedUntil: null,
  resolution: null,
  requests: [
    {
      requestId: 'rq_1',
      routeId: 'rt_1',
      at: '2026-01-02T03:05:05.678Z',
      intent: '周报',
      payloadFields: { week_no: 'integer' },
      user: null,
      sessionId: null,
      traceId: null,
    },
  ],
  decision: null,
  attempts: [],
};

/** The calls that tickets are worked on by: there is always the same. */
export function standInTickets(): TicketCalls {
  return {
    tickets: async () => ({ tickets: [ticket] }),
    async ticket(ticketId) {
      if (ticketId !== ticket.ticketId) throw new ReachError('TICKET_UNKNOWN', `No ticket ${ticketId}.`);
      return ticket;
    },
    claimTicket: async (ticketId, { by }) => ({
      ...ticket,
      ticketId,
      state: 'claimed',
      claimedBy: by,
      claimedUntil: ticket.lastAt,
    }),
    releaseTicket: async (ticketId) => ({ ...ticket, ticketId }),
    resolveTicket: async (ticketId, { by, rightCapability = null, note = null }) => ({
      ...ticket,
      ticketId,
      state: 'resolved',
      resolution: { by, at: ticket.lastAt, rightCapability, note },
    }),
  };
}
