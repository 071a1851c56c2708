import { type Static, Type } from 'typebox';
import { describe, ReachError } from '../errors.js';
import { refuseUnlessWhole } from '../facade/open-calls.js';
import { MANIFEST_LIMITS, ManifestSchema } from '../manifest/schema.js';
import {
  AgentDetailSchema,
  AgentListSchema,
  agentDetailCodec,
  agentListCodec,
  PublishAnswerSchema,
  publishAnswerCodec,
  RemoveAnswerSchema,
  removeAnswerCodec,
} from '../wire/agents.js';
import { LIMITS } from '../wire/limits.js';
import { PublishPreviewSchema, publishPreviewCodec } from '../wire/preview.js';
import type { HttpRoute } from './http-route.js';
import { AgentParams, agentNameIn, Hours, NO_BODY, NoQuery, ok } from './route-parts.js';

/** Deep enough for every schema that a manifest may hold; the façade knows the limits of its parts. */
const MANIFEST_BODY = {
  bodyLimit: LIMITS.manifestBytes,
  bodyDepth: 4 * MANIFEST_LIMITS.schemaDepth,
  bodyCheckedBy: 'reach',
} as const;

/** A manifest is published under the name in its path; what is no object at all is the façade's to refuse. */
function checkSameName(manifest: unknown, agentName: string): void {
  if (typeof manifest !== 'object' || manifest === null || !Object.hasOwn(manifest, 'agent_name')) return;
  const { agent_name: inBody } = manifest as { readonly agent_name: unknown };
  if (inBody === agentName) return;
  throw new ReachError('MANIFEST_INVALID', "The manifest's agent_name is not the one in the path.", {
    errors: [{ pointer: '/agent_name', expected: JSON.stringify(agentName), received: describe(inBody) }],
  });
}

/** Who names hours wants to look first. */
function publishedByMistake(hours: string): ReachError {
  const errors = [
    { pointer: '/recorded_hours', expected: 'dry_run=true beside it', received: describe(hours) },
  ];
  return new ReachError('INVALID_REQUEST', 'recorded_hours is for a dry run: nothing was published.', {
    errors,
  });
}

const PublishQuery = Type.Object(
  {
    dry_run: Type.Optional(
      Type.Enum(['true', 'false'], {
        description: 'Whether only to say what it would come to: nothing is stored then.',
      }),
    ),
    recorded_hours: Hours(LIMITS.exportHours),
  },
  { additionalProperties: false },
);

/** What exists. */
export const agentRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/agents',
    operationId: 'listAgents',
    summary: 'List the agents, their capabilities and instances.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      querystring: NoQuery,
      response: { 200: { description: 'The catalogue.', schema: AgentListSchema } },
    },
    problems: [],
    handle: ({ reach }) => ok(agentListCodec.encode(reach.agents())),
  },
  {
    method: 'GET',
    url: '/api/v1/agents/:name',
    operationId: 'getAgent',
    summary: 'Show one agent with its manifest.',
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      response: { 200: { description: 'The agent.', schema: AgentDetailSchema } },
    },
    problems: ['AGENT_UNKNOWN'],
    handle: ({ reach, params }) => ok(agentDetailCodec.encode(reach.agent(agentNameIn(params)))),
  },
  {
    method: 'PUT',
    url: '/api/v1/agents/:name/manifest',
    operationId: 'publishManifest',
    summary: 'Publish a manifest; it is routable when the answer comes. Or say what that would change.',
    tag: 'agents',
    scope: 'publish',
    ...MANIFEST_BODY,
    schema: {
      params: AgentParams,
      querystring: PublishQuery,
      body: ManifestSchema,
      response: {
        200: {
          description: 'It is stored and routable; with `dry_run`, what would change.',
          schema: Type.Union([PublishAnswerSchema, PublishPreviewSchema]),
        },
      },
    },
    problems: [
      'MANIFEST_INVALID',
      'MANIFEST_VERSION_STALE',
      'MANIFEST_BREAKING',
      'MANIFEST_MANAGED_BY_FOLDER',
      'EMBEDDING_INTERRUPTED',
      'OVERLOADED',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params, query, body, signal }) {
      checkSameName(body, agentNameIn(params));
      const { dry_run, recorded_hours: hours } = query as Static<typeof PublishQuery>;
      if (dry_run !== 'true') {
        if (hours !== undefined) throw publishedByMistake(hours);
        return ok(publishAnswerCodec.encode(await reach.publish(body)));
      }
      // Under the name that this door has for it.
      if (hours !== undefined) refuseUnlessWhole('/recorded_hours', Number(hours), LIMITS.exportHours);
      const options = { signal, ...(hours !== undefined && { recordedHours: Number(hours) }) };
      return ok(publishPreviewCodec.encode(await reach.preview(body, options)));
    },
  },
  {
    method: 'DELETE',
    url: '/api/v1/agents/:name',
    operationId: 'removeAgent',
    summary: 'Remove an agent.',
    tag: 'agents',
    scope: 'publish',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is removed.', schema: RemoveAnswerSchema } },
    },
    problems: [
      'AGENT_UNKNOWN',
      'MANIFEST_VERSION_STALE',
      'MANIFEST_MANAGED_BY_FOLDER',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params }) {
      return ok(removeAnswerCodec.encode(await reach.remove(agentNameIn(params))));
    },
  },
];
