import type { StoredTicket } from '../../src/handoff/ticket.js';

/** A ticket as a store has it. */
export function storedTicket(ticketId: string, more: Partial<StoredTicket> = {}): StoredTicket {
  return {
    ticketId,
    cause: 'low_confidence',
    causeKey: `low_confidence ${ticketId}`,
    sentence: 'Nobody is sure\u0000 enough 周报.',
    count: 1,
    firstAtMs: 1_000,
    lastAtMs: 1_000,
    requests: [],
    decision: null,
    attempts: [],
    standing: { state: 'open' },
    revision: 1,
    ...more,
  };
}
