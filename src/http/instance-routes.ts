import { type Static, Type } from 'typebox';
import {
  HeartbeatAnswerSchema,
  HeartbeatSchema,
  type HeartbeatWire,
  heartbeatAnswerCodec,
  heartbeatCodec,
  InstanceDetailSchema,
  InstanceListSchema,
  instanceDetailCodec,
  instanceListCodec,
  LeaveAnswerSchema,
  leaveAnswerCodec,
  RegisteredSchema,
  RegistrationSchema,
  type RegistrationWire,
  registeredCodec,
  registrationCodec,
} from '../wire/instances.js';
import { LIMITS } from '../wire/limits.js';
import type { HttpRoute } from './http-route.js';
import { AgentParams, agentNameIn, NO_BODY, NoQuery, ok } from './route-parts.js';

const InstanceParams = Type.Object({
  ...AgentParams.properties,
  instance: Type.String({ minLength: 1, maxLength: LIMITS.idChars, description: 'Its instance_id.' }),
});
const instanceIdIn = (params: unknown) => (params as Static<typeof InstanceParams>).instance;

const IncarnationQuery = Type.Object(
  {
    incarnation: Type.Optional(
      Type.String({
        pattern: '^(0|[1-9][0-9]{0,15})$',
        description:
          'the incarnation that is meant, a whole number, by default any; where a higher one has its place, nothing is done',
      }),
    ),
  },
  { additionalProperties: false },
);
function incarnationIn(query: unknown): number | undefined {
  const { incarnation } = query as Static<typeof IncarnationQuery>;
  return incarnation === undefined ? undefined : Number(incarnation);
}

/** Why an instance that stands in the registry cannot be changed. */
const CHANGE_PROBLEMS = [
  'INSTANCE_UNKNOWN',
  'INSTANCE_STATIC',
  'INSTANCE_REPLACED',
  'STORE_UNAVAILABLE',
  'NOT_READY',
] as const;

const SMALL_BODY = { bodyLimit: 65_536, bodyDepth: 2, bodyCheckedBy: 'schema' } as const;

const url = '/api/v1/agents/:name/instances/:instance';

/** The running copies of an agent. */
export const instanceRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/agents/:name/instances',
    operationId: 'listInstances',
    summary: 'List the instances of an agent, with their states.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      response: { 200: { description: 'Its instances.', schema: InstanceListSchema } },
    },
    problems: ['AGENT_UNKNOWN'],
    handle: ({ reach, params }) => ok(instanceListCodec.encode(reach.instances(agentNameIn(params)))),
  },
  {
    method: 'GET',
    url,
    operationId: 'getInstance',
    summary: 'Show one instance, with the history of its states.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: InstanceParams,
      querystring: NoQuery,
      response: { 200: { description: 'The instance.', schema: InstanceDetailSchema } },
    },
    problems: ['INSTANCE_UNKNOWN'],
    handle: ({ reach, params }) =>
      ok(instanceDetailCodec.encode(reach.instance(agentNameIn(params), instanceIdIn(params)))),
  },
  {
    method: 'PUT',
    url,
    operationId: 'registerInstance',
    summary: 'Register an instance, or edit one; it is stored and takes work when the answer comes.',
    tag: 'agents',
    scope: 'heartbeat',
    ...SMALL_BODY,
    schema: {
      params: InstanceParams,
      querystring: NoQuery,
      body: RegistrationSchema,
      response: { 200: { description: 'It is registered, and its lease begins.', schema: RegisteredSchema } },
    },
    problems: [
      'ADDRESS_FORBIDDEN',
      'INSTANCE_TAKEN',
      'INSTANCE_REPLACED',
      'OVERLOADED',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params, body, remoteAddress }) {
      const registration = registrationCodec.decode(body as RegistrationWire);
      const [agentName, instanceId] = [agentNameIn(params), instanceIdIn(params)];
      return ok(
        registeredCodec.encode(await reach.register(agentName, instanceId, registration, { remoteAddress })),
      );
    },
  },
  {
    method: 'DELETE',
    url,
    operationId: 'removeInstance',
    summary: 'Take an instance away for good; this is a clean leave and no failure.',
    tag: 'agents',
    scope: 'heartbeat',
    ...NO_BODY,
    schema: {
      params: InstanceParams,
      querystring: IncarnationQuery,
      response: { 200: { description: 'It is gone.', schema: LeaveAnswerSchema } },
    },
    problems: CHANGE_PROBLEMS,
    async handle({ reach, params, query }) {
      const left = reach.leave(agentNameIn(params), instanceIdIn(params), incarnationIn(query));
      return ok(leaveAnswerCodec.encode(await left));
    },
  },
  {
    method: 'POST',
    url: `${url}/heartbeat`,
    operationId: 'heartbeat',
    summary: 'Say that an instance lives and how it is; its lease begins anew.',
    tag: 'agents',
    scope: 'heartbeat',
    ...SMALL_BODY,
    schema: {
      params: InstanceParams,
      querystring: NoQuery,
      body: HeartbeatSchema,
      response: { 200: { description: 'It was heard.', schema: HeartbeatAnswerSchema } },
    },
    problems: ['INSTANCE_UNKNOWN', 'INSTANCE_REPLACED', 'HEARTBEAT_STALE', 'NOT_READY'],
    handle({ reach, params, body }) {
      const heartbeat = heartbeatCodec.decode(body as HeartbeatWire);
      return ok(
        heartbeatAnswerCodec.encode(reach.heartbeat(agentNameIn(params), instanceIdIn(params), heartbeat)),
      );
    },
  },
  {
    method: 'POST',
    url: `${url}/drain`,
    operationId: 'drainInstance',
    summary: 'Let an instance finish what it has and take nothing new.',
    tag: 'agents',
    scope: 'heartbeat',
    ...NO_BODY,
    schema: {
      params: InstanceParams,
      querystring: IncarnationQuery,
      response: { 200: { description: 'It drains.', schema: InstanceDetailSchema } },
    },
    problems: CHANGE_PROBLEMS,
    async handle({ reach, params, query }) {
      const drained = reach.drain(agentNameIn(params), instanceIdIn(params), incarnationIn(query));
      return ok(instanceDetailCodec.encode(await drained));
    },
  },
];
