import { capabilityKey } from '../wire/capability-key.js';
import type { Ticket, TicketList } from '../wire/tickets.js';
import { momentOf } from './local-time.js';
import { printable } from './printable.js';
import { type Column, table } from './table.js';

const COLUMNS: readonly Column[] = [
  { heading: 'ticket', align: 'left' },
  { heading: 'state', align: 'left' },
  { heading: 'times', align: 'right' },
  { heading: 'last', align: 'left' },
  { heading: 'cause', align: 'left' },
  { heading: 'question', align: 'left' },
];

type TicketSummary = TicketList['tickets'][number];

function stateText({ state, claimedBy }: TicketSummary): string {
  return claimedBy === null ? state : `${state} by ${claimedBy}`;
}

/** The questions for people as a table. Ends with a newline. */
export function ticketsText({ tickets }: TicketList): string {
  if (tickets.length === 0) return 'no tickets\n';
  const rows = tickets.map((ticket) => [
    ticket.ticketId,
    stateText(ticket),
    String(ticket.count),
    momentOf(ticket.lastAt),
    ticket.cause,
    ticket.sentence,
  ]);
  return table(COLUMNS, rows);
}

function requestLine({ at, intent, user, sessionId }: Ticket['requests'][number]): string {
  const whose = [user && `user ${user.slice(0, 8)}`, sessionId && `session ${sessionId}`].filter(Boolean);
  return `  ${momentOf(at)}  ${intent ?? 'no intent'}${whose.length === 0 ? '' : `  (${whose.join(', ')})`}`;
}

function resolutionLines({ resolution }: Ticket): string[] {
  if (resolution === null) return [];
  const { by, at, rightCapability, note } = resolution;
  const right = rightCapability === null ? '' : `, right would have been ${rightCapability}`;
  return [`resolved by ${by} at ${momentOf(at)}${right}`, ...(note === null ? [] : [`  ${note}`])];
}

/** One question with all that is known of it. Ends with a newline. */
export function ticketText(ticket: Ticket): string {
  const { ticketId, cause, count, firstAt, lastAt, sentence, requests, decision, attempts, claimedUntil } =
    ticket;
  const until = claimedUntil === null ? '' : ` until ${momentOf(claimedUntil)}`;
  const target =
    decision?.targetAgent && decision.capabilityId
      ? [`chosen was ${capabilityKey(decision.targetAgent, decision.capabilityId)}`]
      : [];
  const lines = [
    `${ticketId}  ${stateText(ticket)}${until}  ${cause}`,
    sentence,
    `${count === 1 ? 'once' : `${count} times`}, from ${momentOf(firstAt)} to ${momentOf(lastAt)}`,
    ...requests.map(requestLine),
    ...target,
    ...attempts.map(
      ({ agentName, instanceId, outcome, errorCode }) =>
        `  ${agentName}/${instanceId}: ${outcome}${errorCode === undefined ? '' : ` (${errorCode})`}`,
    ),
    ...resolutionLines(ticket),
  ];
  return lines.map((line) => `${printable(line)}\n`).join('');
}
