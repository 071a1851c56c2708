import { userInfo } from 'node:os';
import { type Command, Option } from 'commander';
import { TICKET_STATES, type Ticket, ticketCodec, ticketListCodec } from '../wire/tickets.js';
import type { Act } from './act.js';
import type { CliServices } from './cli-services.js';
import { numberOf } from './number-of.js';
import { printable } from './printable.js';
import { askServer, type ServerAnswer } from './server-command.js';
import { ticketsText, ticketText } from './tickets-text.js';

/** Who does it, where nobody says. Not every process has a user with a name. */
function whoever(): string {
  try {
    return userInfo().username;
  } catch {
    return 'somebody';
  }
}

function changed(ticket: Ticket, became: string): ServerAnswer {
  return { text: `${printable(`${ticket.ticketId} ${became}`)}\n`, wire: ticketCodec.encode(ticket) };
}

/** `tickets`: the questions for people that a server keeps; `tickets claim|release|resolve ID`: what people do with one. */
export function addTicketsCommand(program: Command, services: CliServices, act: Act): void {
  const tickets = program
    .command('tickets')
    .description('list the questions for people, or show one')
    .argument('[id]', "the ticket's id")
    .addOption(new Option('--state <state>', 'only tickets in this state').choices([...TICKET_STATES]));
  askServer(tickets, services, act, async (reach, ticketId?: string) => {
    const { state } = tickets.opts<{ state?: string }>();
    if (ticketId === undefined) {
      const list = await reach.tickets(state);
      return { text: ticketsText(list), wire: ticketListCodec.encode(list) };
    }
    if (state !== undefined) tickets.error('error: name an ID or a --state, not both');
    const ticket = await reach.ticket(ticketId);
    return { text: ticketText(ticket), wire: ticketCodec.encode(ticket) };
  });

  const commandOf = (name: string, description: string) =>
    tickets
      .command(name)
      .description(description)
      .argument('<id>', "the ticket's id")
      .option('--by <name>', 'who does it', whoever());

  const claim = commandOf('claim', 'take a ticket on for a while, in which nobody else can').option(
    '--for-ms <ms>',
    'after which it goes back to the queue by itself, by default 900000',
    numberOf,
  );
  askServer(claim, services, act, async (reach, ticketId: string) => {
    const { by, forMs } = claim.opts<{ by: string; forMs?: number }>();
    const ticket = await reach.claimTicket(ticketId, { by, ...(forMs !== undefined && { forMs }) });
    return changed(ticket, `is claimed by ${by}`);
  });

  const release = commandOf('release', 'give a ticket back to the queue');
  askServer(release, services, act, async (reach, ticketId: string) => {
    const ticket = await reach.releaseTicket(ticketId, { by: release.opts<{ by: string }>().by });
    return changed(ticket, 'is back in the queue');
  });

  const resolve = commandOf('resolve', 'end a ticket')
    .option('--right <agent/capability>', 'which capability would have been right')
    .option('--note <text>', 'for whoever reads it later');
  askServer(resolve, services, act, async (reach, ticketId: string) => {
    const { by, right, note } = resolve.opts<{ by: string; right?: string; note?: string }>();
    const ticket = await reach.resolveTicket(ticketId, {
      by,
      ...(right !== undefined && { rightCapability: right }),
      ...(note !== undefined && { note }),
    });
    return changed(ticket, 'is resolved');
  });
}
