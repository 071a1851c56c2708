import { type Static, Type } from 'typebox';
import {
  ManifestHistorySchema,
  manifestHistoryCodec,
  PublishAnswerSchema,
  publishAnswerCodec,
  StoredManifestSchema,
  storedManifestCodec,
} from '../wire/agents.js';
import type { HttpRoute } from './http-route.js';
import { AgentParams, agentNameIn, LimitQuery, limitIn, NO_BODY, NoQuery, ok } from './route-parts.js';

const VersionParams = Type.Object({
  ...AgentParams.properties,
  version: Type.String({
    pattern: '^[1-9][0-9]{0,15}$',
    description: 'a manifest_version of its history',
  }),
});

const versionIn = (params: unknown) => Number((params as Static<typeof VersionParams>).version);

/** The versions of an agent's manifest. */
export const manifestHistoryRoutes: readonly HttpRoute[] = [
  {
    method: 'GET',
    url: '/api/v1/agents/:name/manifests',
    operationId: 'listManifests',
    summary: "List the kept versions of an agent's manifest, also of a removed agent.",
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: AgentParams,
      querystring: LimitQuery,
      response: { 200: { description: 'The versions, newest first.', schema: ManifestHistorySchema } },
    },
    problems: ['AGENT_UNKNOWN', 'STORE_UNAVAILABLE'],
    async handle({ reach, params, query }) {
      const { limit } = limitIn(query);
      const name = agentNameIn(params);
      const history = limit === undefined ? reach.history(name) : reach.history(name, limit);
      return ok(manifestHistoryCodec.encode(await history));
    },
  },
  {
    method: 'GET',
    url: '/api/v1/agents/:name/manifests/:version',
    operationId: 'getManifest',
    summary: "Show one version of an agent's manifest.",
    tag: 'agents',
    scope: 'read',
    ...NO_BODY,
    schema: {
      params: VersionParams,
      querystring: NoQuery,
      response: { 200: { description: 'The version.', schema: StoredManifestSchema } },
    },
    problems: ['AGENT_UNKNOWN', 'MANIFEST_VERSION_UNKNOWN', 'STORE_UNAVAILABLE'],
    async handle({ reach, params }) {
      return ok(storedManifestCodec.encode(await reach.manifest(agentNameIn(params), versionIn(params))));
    },
  },
  {
    method: 'POST',
    url: '/api/v1/agents/:name/manifests/:version/publish',
    operationId: 'republishManifest',
    summary: 'Publish an older version again, as a new one; the version that serves changes nothing.',
    tag: 'agents',
    scope: 'publish',
    ...NO_BODY,
    schema: {
      params: VersionParams,
      querystring: NoQuery,
      response: { 200: { description: 'It is stored and routable.', schema: PublishAnswerSchema } },
    },
    problems: [
      'AGENT_UNKNOWN',
      'MANIFEST_VERSION_UNKNOWN',
      'MANIFEST_INVALID',
      'MANIFEST_VERSION_STALE',
      'MANIFEST_BREAKING',
      'MANIFEST_MANAGED_BY_FOLDER',
      'EMBEDDING_INTERRUPTED',
      'STORE_UNAVAILABLE',
      'NOT_READY',
    ],
    async handle({ reach, params }) {
      return ok(publishAnswerCodec.encode(await reach.republish(agentNameIn(params), versionIn(params))));
    },
  },
];
