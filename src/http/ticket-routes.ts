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
import { JSON_BODY, NO_BODY, NoQuery, ok } from './route-parts.js';

const TicketParams = Type.Object({
  ticket_id: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: 'Its ticket_id.' }),
});
const ticketIdIn = (params: unknown) => (params as Static<typeof TicketParams>).ticket_id;

const TicketsQuery = Type.Object(
  {
    state: Type.Optional(Type.Enum([...TICKET_STATES], { description: 'Only tickets that stand there.' })),
    limit: Type.Optional(
      Type.String({
        pattern: '^([1-9][0-9]?|100)$',
        description: 'how many at most, a whole number from 1 to 100, 100 where it is not said',
      }),
    ),
  },
  { additionalProperties: false },
);

const common = { tag: 'tickets', scope: 'tickets' } as const;
const CHANGE_PROBLEMS = ['TICKET_UNKNOWN', 'TICKET_TAKEN', 'TICKET_RESOLVED', 'STORE_UNAVAILABLE'] as const;
const answering = (description: string) => ({ 200: { description, schema: TicketSchema } });

/** The questions that people are asked. */
export const ticketRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/tickets',
    operationId: 'tickets',
    summary: 'List the questions for people, those whose cause came last first.',
    ...common,
    ...NO_BODY,
    schema: {
      querystring: TicketsQuery,
      response: { 200: { description: 'The tickets.', schema: TicketListSchema } },
    },
    problems: ['STORE_UNAVAILABLE'],
    async handle({ reach, query }) {
      const { state, limit } = query as Static<typeof TicketsQuery>;
      const found = await reach.tickets({
        ...(state !== undefined && { state }),
        ...(limit !== undefined && { limit: Number(limit) }),
      });
      return ok(ticketListCodec.encode(found));
    },
  },
  {
    method: 'GET',
    url: '/api/v1/tickets/:ticket_id',
    operationId: 'ticket',
    summary: 'Show a ticket with the requests that it stands for.',
    ...common,
    ...NO_BODY,
    schema: { params: TicketParams, querystring: NoQuery, response: answering('The ticket.') },
    problems: ['TICKET_UNKNOWN', 'STORE_UNAVAILABLE'],
    handle: async ({ reach, params }) => ok(ticketCodec.encode(await reach.ticket(ticketIdIn(params)))),
  },
  {
    method: 'POST',
    url: '/api/v1/tickets/:ticket_id/claim',
    operationId: 'claimTicket',
    summary: 'Take a ticket on for a while, in which nobody else can.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
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
    url: '/api/v1/tickets/:ticket_id/release',
    operationId: 'releaseTicket',
    summary: 'Give a ticket back to the queue.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
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
    url: '/api/v1/tickets/:ticket_id/resolve',
    operationId: 'resolveTicket',
    summary: 'End a ticket, and say which capability would have been right.',
    ...common,
    ...JSON_BODY,
    schema: {
      params: TicketParams,
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
