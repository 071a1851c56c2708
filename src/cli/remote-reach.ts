import {
  type AgentDetail,
  agentDetailCodec,
  agentListCodec,
  type ManifestHistory,
  manifestHistoryCodec,
} from '../wire/agents.js';
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
import {
  type Ticket,
  type TicketClaim,
  type TicketList,
  type TicketRelease,
  type TicketResolution,
  ticketClaimCodec,
  ticketCodec,
  ticketListCodec,
  ticketReleaseCodec,
  ticketResolutionCodec,
} from '../wire/tickets.js';
import type { AnsweringReach } from './answering-reach.js';
import { call, sending } from './remote-call.js';
import { type RemoteLabels, remoteLabels } from './remote-labels.js';
import { type RemoteRequests, remoteRequests } from './remote-requests.js';
import { type RemoteTuning, remoteTuning } from './remote-tuning.js';

/** What only a service that stays has to tell. */
export interface RemoteReach extends AnsweringReach, RemoteRequests, RemoteTuning, RemoteLabels {
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
  /** `state` as it was given. */
  tickets(state: string | undefined): Promise<TicketList>;
  ticket(ticketId: string): Promise<Ticket>;
  claimTicket(ticketId: string, claim: TicketClaim): Promise<Ticket>;
  releaseTicket(ticketId: string, release: TicketRelease): Promise<Ticket>;
  resolveTicket(ticketId: string, resolution: TicketResolution): Promise<Ticket>;
}

/**
 * A server's answers over its HTTP door, whose calls lie under `base`.
 * @throws ReachError SERVER_UNREACHABLE, and what the server answers
 */
export function remoteReach(base: URL): RemoteReach {
  const api = (...steps: string[]) => new URL(`api/v1/${steps.map(encodeURIComponent).join('/')}`, base);
  const instanceUrl = (agentName: string, instanceId: string, ...rest: string[]) =>
    api('agents', agentName, 'instances', instanceId, ...rest);
  const changed = (ticketId: string, how: string, body: unknown) =>
    call(api('tickets', ticketId, how), ticketCodec, sending('POST', body));
  return {
    ...remoteRequests(api),
    ...remoteTuning(api),
    ...remoteLabels(api),
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
    tickets(state) {
      const url = api('tickets');
      if (state !== undefined) url.searchParams.set('state', state);
      return call(url, ticketListCodec);
    },
    ticket: (ticketId) => call(api('tickets', ticketId), ticketCodec),
    claimTicket: (ticketId, claim) => changed(ticketId, 'claim', ticketClaimCodec.encode(claim)),
    releaseTicket: (ticketId, release) => changed(ticketId, 'release', ticketReleaseCodec.encode(release)),
    resolveTicket: (ticketId, resolution) =>
      changed(ticketId, 'resolve', ticketResolutionCodec.encode(resolution)),
    async close() {},
  };
}
