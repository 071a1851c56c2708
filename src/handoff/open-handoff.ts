import type { Clock } from '../clock.js';
import type { Lifecycle } from '../lifecycle.js';
import type { Outbox } from '../outbox/outbox.js';
import type { RecordStore } from '../record/record-store.js';
import type { CarryOut } from '../requests/request-life.js';
import type { TicketWebhook } from '../settings.js';
import type { Decision, RouteRequest } from '../wire/route.js';
import { Handoff } from './handoff.js';
import { TicketDesk } from './ticket-desk.js';
import { TicketRounds } from './ticket-rounds.js';
import type { TicketStore } from './ticket-store.js';
import { TicketWebhooks } from './ticket-webhooks.js';

export interface HandoffContext {
  readonly stores: { readonly tickets: TicketStore; readonly records: RecordStore };
  readonly team: string;
  readonly config: {
    /** Whether tickets are opened. */
    readonly tickets: boolean;
    readonly ticketWebhooks: readonly TicketWebhook[];
    readonly webhookSecret: string | null;
  };
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

export interface OpenedHandoff {
  readonly desk: TicketDesk;
  /** See Handoff; where no tickets are kept, nothing is changed. */
  readonly around: (carryOut: CarryOut) => CarryOut;
  readonly decided: (
    request: RouteRequest,
    decision: Decision,
    traceparent: string | undefined,
  ) => Promise<Decision>;
  status(): { readonly state: 'ok' | 'degraded'; readonly detail: string; readonly unresolved: number };
  /** From now on claims end by themselves. */
  start(): void;
}

/**
 * Puts the parts of the handoff together.
 * @throws ReachError CONFIG_INVALID for a webhook that may not be called, STORE_UNAVAILABLE
 */
export async function openHandoff(context: HandoffContext): Promise<OpenedHandoff> {
  const { stores, team, config, outbox, clock, lifecycle, report } = context;
  const { ticketWebhooks: webhooks, webhookSecret: secretRef } = config;
  const people = new TicketWebhooks({ webhooks, outbox, secretRef, clock, report });
  const desk = new TicketDesk({
    store: stores.tickets,
    team,
    salt: await stores.records.salt(team),
    clock,
    tell: (news, ticket) => people.tell(news, ticket),
  });
  const handoff = new Handoff({ desk, clock, report });
  const rounds = new TicketRounds(desk, clock, report);
  lifecycle.add('tickets', () => rounds.close());
  return {
    desk,
    around: (carryOut) => (config.tickets ? handoff.around(carryOut) : carryOut),
    decided: async (request, decision, traceparent) =>
      config.tickets ? handoff.decided(request, decision, traceparent) : decision,
    status() {
      const { unresolved } = rounds;
      const fault = handoff.fault ?? rounds.fault;
      const detail = fault ?? `${unresolved} tickets are not resolved.`;
      return { state: fault === undefined ? 'ok' : 'degraded', detail, unresolved };
    },
    start: () => rounds.start(),
  };
}
