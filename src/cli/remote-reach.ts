import { ReachError } from '../errors.js';
import {
  type AgentDetail,
  agentDetailCodec,
  agentListCodec,
  type ManifestHistory,
  manifestHistoryCodec,
} from '../wire/agents.js';
import type { Camel, Codec } from '../wire/codec.js';
import { type DoctorReport, doctorReportCodec } from '../wire/doctor.js';
import {
  type InstanceDetail,
  type InstanceList,
  instanceDetailCodec,
  instanceListCodec,
  type Registered,
  type Registration,
  registeredCodec,
  registrationCodec,
} from '../wire/instances.js';
import { type Trend, trendCodec } from '../wire/records.js';
import { decisionCodec, routeRequestCodec } from '../wire/route.js';
import { type Session, type SessionList, sessionCodec, sessionListCodec } from '../wire/sessions.js';
import type { AnsweringReach } from './answering-reach.js';
import { decoded, jsonOf, refusalOf, textOf } from './remote-answer.js';

/** For the whole call; a decision takes milliseconds, so this is a server that hangs. */
const TIMEOUT_MS = 30_000;

interface Received {
  readonly ok: boolean;
  readonly text: string;
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

async function call<Wire>(url: URL, codec: Codec<Wire>, init: RequestInit = {}): Promise<Camel<Wire>> {
  const { ok, text } = await receive(url, init);
  if (!ok) throw refusalOf(url, jsonOf(text));
  return decoded(url, codec, jsonOf(text));
}

const sending = (method: string, body: unknown): RequestInit => ({
  method,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

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
  sessions(): Promise<SessionList>;
  session(sessionId: string): Promise<Session>;
}

/**
 * A server's answers over its HTTP door, whose calls lie under `base`.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export function remoteReach(base: URL): RemoteReach {
  const api = (...steps: string[]) => new URL(`api/v1/${steps.map(encodeURIComponent).join('/')}`, base);
  const instanceUrl = (agentName: string, instanceId: string, ...rest: string[]) =>
    api('agents', agentName, 'instances', instanceId, ...rest);
  return {
    answerBy: 'route-id',
    route: (request) => call(api('route'), decisionCodec, sending('POST', routeRequestCodec.encode(request))),
    agents: () => call(api('agents'), agentListCodec),
    agent: (agentName) => call(api('agents', agentName), agentDetailCodec),
    history: (agentName) => call(api('agents', agentName, 'manifests'), manifestHistoryCodec),
    instances: (agentName) => call(api('agents', agentName, 'instances'), instanceListCodec),
    instance: (agentName, instanceId) => call(instanceUrl(agentName, instanceId), instanceDetailCodec),
    register(agentName, instanceId, registration) {
      const init = sending('PUT', registrationCodec.encode(registration));
      return call(instanceUrl(agentName, instanceId), registeredCodec, init);
    },
    drain: (agentName, instanceId) =>
      call(instanceUrl(agentName, instanceId, 'drain'), instanceDetailCodec, { method: 'POST' }),
    doctor: () => call(api('doctor'), doctorReportCodec),
    trend(agentName, hours) {
      const url = api('reachability', 'trend');
      url.search = new URLSearchParams({ agent_name: agentName, hours }).toString();
      return call(url, trendCodec);
    },
    sessions: () => call(api('sessions'), sessionListCodec),
    session: (sessionId) => call(api('sessions', sessionId), sessionCodec),
    async close() {},
  };
}
