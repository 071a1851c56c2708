import { type Static, type TSchema, Type } from 'typebox';
import type { ErrorCode } from '../errors.js';
import type { Reach } from '../reach.js';
import { LIMITS } from '../wire/limits.js';
import {
  TICKET_STATES,
  type Ticket,
  TicketClaimSchema,
  type TicketClaimWire,
  TicketListSchema,
  TicketReleaseSchema,
  type TicketReleaseWire,
  TicketResolutionSchema,
  type TicketResolutionWire,
  TicketSchema,
  ticketClaimCodec,
  ticketCodec,
  ticketListCodec,
  ticketReleaseCodec,
  ticketResolutionCodec,
} from '../wire/tickets.js';
import type { HttpRoute } from './http-route.js';
import { JSON_BODY, LimitQuery, limitIn, NO_BODY, NoQuery, ok } from './route-parts.js';

const TicketParams = Type.Object({
  id: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: 'Its ticket_id.' }),
});
const ticketIdIn = (params: unknown) => (params as Static<typeof TicketParams>).id;

const TicketsQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...TICKET_STATES], { description: 'only tickets in this state' })),
    ...LimitQuery.properties,
  },
  { additionalProperties: false },
);

const url = '/api/v1/tickets/:id';
const common = { tag: 'tickets', scope: 'tickets' } as const;
const CHANGE_PROBLEMS = ['TICKET_UNKNOWN', 'TICKET_TAKEN', 'TICKET_RESOLVED', 'STORE_UNAVAILABLE'] as const;
const answering = (description: string) => ({ 200: { description, schema: TicketSchema } });

interface TicketChange<Body> {
  /** The last part of the address, and the first of the operation's name. */
  readonly how: 'claim' | 'release' | 'resolve';
  readonly summary: string;
  readonly body: TSchema;
  readonly answer: string;
  /** Besides those of every change. */
  readonly problems?: readonly ErrorCode[];
  readonly change: (reach: Reach, ticketId: string, body: Body) => Promise<Ticket>;
}

function changing<Body>({
  how,
  summary,
  body,
  answer,
  problems = [],
  change,
}: TicketChange<Body>): HttpRoute {
  return {
    method: 'POST',
    url: `${url}/${how}`,
    operationId: `${how}Ticket`,
    summary,
    ...common,
    ...JSON_BODY,
    schema: { params: TicketParams, querystring: NoQuery, body, response: answering(answer) },
    problems: [...CHANGE_PROBLEMS, ...problems],
    handle: async (call) =>
      ok(ticketCodec.encode(await change(call.reach, ticketIdIn(call.params), call.body as Body))),
  };
}

/** The questions that people are asked. */
export const ticketRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/tickets',
    operationId: 'listTickets',
    summary: 'List the questions for people, those whose cause came last first.',
    ...common,
    ...NO_BODY,
    schema: {
      querystring: TicketsQuery,
      response: { 200: { description: 'The tickets.', schema: TicketListSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { state } = query as Static<typeof TicketsQuery>;
      const found = await reach.tickets({ ...(state !== undefined && { state }), ...limitIn(query) });
      return ok(ticketListCodec.encode(found));
    },
  },
  {
    method: 'GET',
    url,
    operationId: 'getTicket',
    summary: 'Show a ticket with the requests that it stands for.',
    ...common,
    ...NO_BODY,
    schema: { params: TicketParams, querystring: NoQuery, response: answering('The ticket.') },
    problems: ['TICKET_UNKNOWN', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) => ok(ticketCodec.encode(await reach.ticket(ticketIdIn(params)))),
  },
  changing<TicketClaimWire>({
    how: 'claim',
    summary: 'Take a ticket on for a while, in which nobody else can.',
    body: TicketClaimSchema,
    answer: 'The ticket, claimed.',
    change: (reach, ticketId, claim) => reach.claimTicket(ticketId, ticketClaimCodec.decode(claim)),
  }),
  changing<TicketReleaseWire>({
    how: 'release',
    summary: 'Give a ticket back to the queue.',
    body: TicketReleaseSchema,
    answer: 'The ticket, open.',
    change: (reach, ticketId, release) => reach.releaseTicket(ticketId, ticketReleaseCodec.decode(release)),
  }),
  changing<TicketResolutionWire>({
    how: 'resolve',
    summary: 'End a ticket, and say which capability would have been right.',
    body: TicketResolutionSchema,
    answer: 'The ticket, resolved.',
    problems: ['CAPABILITY_UNKNOWN', 'NOT_READY'],
    change: (reach, ticketId, resolution) =>
      reach.resolveTicket(ticketId, ticketResolutionCodec.decode(resolution)),
  }),
];
