import { type Static, Type } from 'typebox';
import { LIMITS } from '../wire/limits.js';
import {
  TICKET_STATES,
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
  {
    method: 'POST',
    url: `${url}/claim`,
    operationId: 'claimTicket',
    summary: 'Take a ticket on for a while, in which nobody else can.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
      querystring: NoQuery,
      body: TicketClaimSchema,
      response: answering('The ticket, claimed.'),
    },
    problems: CHANGE_PROBLEMS,
    async handle({ reach, params, body }) {
      const claim = ticketClaimCodec.decode(body as TicketClaimWire);
      return ok(ticketCodec.encode(await reach.claimTicket(ticketIdIn(params), claim)));
    },
  },
  {
    method: 'POST',
    url: `${url}/release`,
    operationId: 'releaseTicket',
    summary: 'Give a ticket back to the queue.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
      querystring: NoQuery,
      body: TicketReleaseSchema,
      response: answering('The ticket, open.'),
    },
    problems: CHANGE_PROBLEMS,
    async handle({ reach, params, body }) {
      const release = ticketReleaseCodec.decode(body as TicketReleaseWire);
      return ok(ticketCodec.encode(await reach.releaseTicket(ticketIdIn(params), release)));
    },
  },
  {
    method: 'POST',
    url: `${url}/resolve`,
    operationId: 'resolveTicket',
    summary: 'End a ticket, and say which capability would have been right.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
      querystring: NoQuery,
      body: TicketResolutionSchema,
      response: answering('The ticket, resolved.'),
    },
    problems: [...CHANGE_PROBLEMS, 'CAPABILITY_UNKNOWN', 'NOT_READY'],
    async handle({ reach, params, body }) {
      const resolution = ticketResolutionCodec.decode(body as TicketResolutionWire);
      return ok(ticketCodec.encode(await reach.resolveTicket(ticketIdIn(params), resolution)));
    },
  },
];
