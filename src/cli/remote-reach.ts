import type { TSchema } from 'typebox';
import { ERRORS, type ErrorCode, ReachError } from '../errors.js';
import {
  type AgentDetail,
  AgentDetailSchema,
  type AgentDetailWire,
  AgentListSchema,
  type AgentListWire,
  agentDetailCodec,
  agentListCodec,
  type ManifestHistory,
  ManifestHistorySchema,
  type ManifestHistoryWire,
  manifestHistoryCodec,
} from '../wire/agents.js';
import { checkOf } from '../wire/check.js';
import {
  type DoctorReport,
  DoctorReportSchema,
  type DoctorReportWire,
  doctorReportCodec,
} from '../wire/doctor.js';
import {
  type InstanceDetail,
  InstanceDetailSchema,
  type InstanceDetailWire,
  type InstanceList,
  InstanceListSchema,
  type InstanceListWire,
  instanceDetailCodec,
  instanceListCodec,
  type Registered,
  RegisteredSchema,
  type RegisteredWire,
  type Registration,
  registeredCodec,
  registrationCodec,
} from '../wire/instances.js';
import { type Problem, ProblemSchema } from '../wire/problem.js';
import { type Trend, TrendSchema, type TrendWire, trendCodec } from '../wire/records.js';
import {
  DecisionSchema,
  type DecisionWire,
  decisionCodec,
  type RouteRequest,
  routeRequestCodec,
} from '../wire/route.js';
import type { AnsweringReach } from './answering-reach.js';

/** For the whole call; a decision takes milliseconds, so this is a server that hangs. */
const TIMEOUT_MS = 30_000;

/** More than any catalogue that a command lists; without an end, an answer would fill the memory. */
const MAX_BYTES = 128 * 1_048_576;

export function noServer({ origin }: URL): ReachError {
  return new ReachError('SERVER_UNREACHABLE', `What answers at ${origin} is not an Agent-Reach server.`);
}

interface Received {
  readonly ok: boolean;
  readonly text: string;
}

/** @throws ReachError SERVER_UNREACHABLE where it is longer than any answer of a server. */
export async function textOf({ url, body }: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += part.length;
    if (bytes > MAX_BYTES) throw noServer(new URL(url));
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

async function receive(url: URL, init: RequestInit): Promise<Received> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { ok: response.ok, text: await textOf(response) };
  } catch (cause) {
    if (cause instanceof ReachError) throw cause;
    const late = cause instanceof Error && cause.name === 'TimeoutError';
    const why = late ? `did not answer within ${TIMEOUT_MS / 1_000} s` : 'cannot be reached';
    throw new ReachError('SERVER_UNREACHABLE', `The server at ${url.origin} ${why}.`, { cause });
  }
}

export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export function fits(schema: TSchema, value: unknown): boolean {
  return checkOf(schema)(value).length === 0;
}

/** The error that a server's problem details describe, or that there are none. */
export function refusalOf(url: URL, body: unknown): ReachError {
  if (!fits(ProblemSchema, body)) return noServer(url);
  const { code, detail, errors } = body as Problem;
  const known = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'INTERNAL';
  return new ReachError(known, detail, { errors });
}

async function call<Wire>(url: URL, schema: TSchema, init: RequestInit = {}): Promise<Wire> {
  const { ok, text } = await receive(url, init);
  const body = jsonOf(text);
  if (ok && fits(schema, body)) return body as Wire;
  throw ok ? noServer(url) : refusalOf(url, body);
}

/** @throws ReachError CONFIG_INVALID */
export function baseOf(url: string): URL {
  const base = url.endsWith('/') ? url : `${url}/`;
  if (/^https?:\/\//i.test(base) && URL.canParse(base)) return new URL(base);
  throw new ReachError('CONFIG_INVALID', `${url} is not the http or https URL of a server.`);
}

/** What only a service that stays has to tell. */
export interface RemoteReach extends AnsweringReach {
  agent(agentName: string): Promise<AgentDetail>;
  history(agentName: string): Promise<ManifestHistory>;
  instances(agentName: string): Promise<InstanceList>;
  instance(agentName: string, instanceId: string): Promise<InstanceDetail>;
  register(agentName: string, instanceId: string, registration: Registration): Promise<Registered>;
  drain(agentName: string, instanceId: string): Promise<InstanceDetail>;
  doctor(): Promise<DoctorReport>;
  /** `hours` as it was given: the server checks it. */
  trend(agentName: string, hours: string): Promise<Trend>;
}

const sending = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** A server's answers over its HTTP door. @throws ReachError SERVER_UNREACHABLE, and what the server answers. */
export function remoteReach(url: string): RemoteReach {
  const base = baseOf(url);
  const agentUrl = (agentName: string, rest = '') =>
    new URL(`api/v1/agents/${encodeURIComponent(agentName)}${rest}`, base);
  const instanceUrl = (agentName: string, instanceId: string, rest = '') =>
    agentUrl(agentName, `/instances/${encodeURIComponent(instanceId)}${rest}`);
  return {
    answerBy: 'route-id',
    async route(request: RouteRequest) {
      const init = sending('POST', routeRequestCodec.encode(request));
      const wire = await call<DecisionWire>(new URL('api/v1/route', base), DecisionSchema, init);
      return decisionCodec.decode(wire);
    },
    async agents() {
      const wire = await call<AgentListWire>(new URL('api/v1/agents', base), AgentListSchema);
      return agentListCodec.decode(wire);
    },
    async agent(agentName) {
      const wire = await call<AgentDetailWire>(agentUrl(agentName), AgentDetailSchema);
      return agentDetailCodec.decode(wire);
    },
    async history(agentName) {
      const wire = await call<ManifestHistoryWire>(agentUrl(agentName, '/manifests'), ManifestHistorySchema);
      return manifestHistoryCodec.decode(wire);
    },
    async instances(agentName) {
      const wire = await call<InstanceListWire>(agentUrl(agentName, '/instances'), InstanceListSchema);
      return instanceListCodec.decode(wire);
    },
    async instance(agentName, instanceId) {
      const wire = await call<InstanceDetailWire>(instanceUrl(agentName, instanceId), InstanceDetailSchema);
      return instanceDetailCodec.decode(wire);
    },
    async register(agentName, instanceId, registration) {
      const init = sending('PUT', registrationCodec.encode(registration));
      const wire = await call<RegisteredWire>(instanceUrl(agentName, instanceId), RegisteredSchema, init);
      return registeredCodec.decode(wire);
    },
    async drain(agentName, instanceId) {
      const url = instanceUrl(agentName, instanceId, '/drain');
      const wire = await call<InstanceDetailWire>(url, InstanceDetailSchema, { method: 'POST' });
      return instanceDetailCodec.decode(wire);
    },
    async doctor() {
      const wire = await call<DoctorReportWire>(new URL('api/v1/doctor', base), DoctorReportSchema);
      return doctorReportCodec.decode(wire);
    },
    async trend(agentName, hours) {
      const url = new URL('api/v1/reachability/trend', base);
      url.search = new URLSearchParams({ agent_name: agentName, hours }).toString();
      return trendCodec.decode(await call<TrendWire>(url, TrendSchema));
    },
    async close() {},
  };
}
