import { ReachError } from '../errors.js';
import type { Ticket, TicketResolution } from '../wire/tickets.js';

type Resolution = NonNullable<Ticket['resolution']>;

/** Where a ticket stands: nobody has it, somebody has it for a while, or it is done. */
export type Standing =
  | { readonly state: 'open' }
  | { readonly state: 'claimed'; readonly by: string; readonly untilMs: number }
  | { readonly state: 'resolved'; readonly atMs: number; readonly resolution: Resolution };

/** A ticket as it is kept. */
export interface StoredTicket
  extends Pick<Ticket, 'ticketId' | 'cause' | 'sentence' | 'count' | 'requests' | 'decision' | 'attempts'> {
  /** What equal causes share: they join the one ticket of this key that is not resolved. */
  readonly causeKey: string;
  readonly firstAtMs: number;
  readonly lastAtMs: number;
  readonly standing: Standing;
  /** Grows with every save. */
  readonly revision: number;
}

/** A claim ends by itself. */
function standingAt({ standing }: StoredTicket, nowMs: number): Standing {
  return standing.state === 'claimed' && standing.untilMs <= nowMs ? { state: 'open' } : standing;
}

function changed(ticket: StoredTicket, standing: Standing): StoredTicket {
  return { ...ticket, standing, revision: ticket.revision + 1 };
}

/** @throws ReachError TICKET_RESOLVED, TICKET_TAKEN where it is not `by` who has it */
function refuseUnlessFree(ticket: StoredTicket, by: string, nowMs: number): void {
  const standing = standingAt(ticket, nowMs);
  if (standing.state === 'resolved') {
    throw new ReachError('TICKET_RESOLVED', `${ticket.ticketId} was resolved by ${standing.resolution.by}.`);
  }
  if (standing.state === 'claimed' && standing.by !== by) {
    const until = new Date(standing.untilMs).toISOString();
    throw new ReachError('TICKET_TAKEN', `${standing.by} has ${ticket.ticketId} until ${until}.`);
  }
}

/** `by` has it from now on; who has it already has it longer. @throws ReachError TICKET_RESOLVED, TICKET_TAKEN */
export function claimed(ticket: StoredTicket, by: string, forMs: number, nowMs: number): StoredTicket {
  refuseUnlessFree(ticket, by, nowMs);
  return changed(ticket, { state: 'claimed', by, untilMs: nowMs + forMs });
}

/** Nobody has it any more. @throws ReachError TICKET_RESOLVED, TICKET_TAKEN */
export function released(ticket: StoredTicket, by: string, nowMs: number): StoredTicket {
  refuseUnlessFree(ticket, by, nowMs);
  return changed(ticket, { state: 'open' });
}

/** @throws ReachError TICKET_RESOLVED, TICKET_TAKEN */
export function resolved(
  ticket: StoredTicket,
  { by, rightCapability, note }: TicketResolution,
  nowMs: number,
): StoredTicket {
  refuseUnlessFree(ticket, by, nowMs);
  const resolution = {
    by,
    at: new Date(nowMs).toISOString(),
    rightCapability: rightCapability ?? null,
    note: note ?? null,
  };
  return changed(ticket, { state: 'resolved', atMs: nowMs, resolution });
}

/** Back in the queue after a claim that has ended by itself; undefined where none has. */
export function returned(ticket: StoredTicket, nowMs: number): StoredTicket | undefined {
  const standing = standingAt(ticket, nowMs);
  return standing === ticket.standing ? undefined : changed(ticket, standing);
}

/** As people see it. */
export function ticketAt(stored: StoredTicket, nowMs: number): Ticket {
  const { causeKey: _, firstAtMs, lastAtMs, standing: __, revision: ___, ...ticket } = stored;
  const standing = standingAt(stored, nowMs);
  const claim = standing.state === 'claimed' ? standing : undefined;
  return {
    ...ticket,
    state: standing.state,
    firstAt: new Date(firstAtMs).toISOString(),
    lastAt: new Date(lastAtMs).toISOString(),
    claimedBy: claim?.by ?? null,
    claimedUntil: claim === undefined ? null : new Date(claim.untilMs).toISOString(),
    resolution: standing.state === 'resolved' ? standing.resolution : null,
  };
}
