export type { AgentLogger } from './agent/agent-logger.js';
export type { ServeAgentOptions } from './agent/agent-settings.js';
export { type AgentState, type ServedAgent, serveAgent } from './agent/serve-agent.js';
export {
  type AgentTask,
  type Handler,
  PayloadError,
  type TaskAnswer,
  type TaskSession,
  type WorkEstimate,
} from './agent/task.js';
export type {
  AwaitedRequest,
  BatchOptions,
  CallOptions,
  ChangesOptions,
  DispatchLaterOptions,
  DispatchOptions,
  PutSessionOptions,
  ReachClientOptions,
  RequestEventsOptions,
  RouteOptions,
  WatchOptions,
} from './client/client-options.js';
export { ReachClient } from './client/reach-client.js';
export { ReachClientError } from './client/reach-client-error.js';
export type {
  Attempt,
  BatchAnswer,
  DispatchAnswer,
  DispatchError,
  DispatchRequest,
  FinalState,
  Lane,
} from './wire/dispatch.js';
export type {
  Change,
  ChangeEvent,
  DecisionEvent,
  Gap,
  OutcomeReport,
  WatchedDecision,
} from './wire/events.js';
export type { CapabilityDocument, ManifestDocument } from './wire/manifest.js';
export type { FieldError } from './wire/problem.js';
export type { RequestEvent, RequestState, RequestStatus, StateEntry } from './wire/requests.js';
export type { Candidate, Decision, RouteRequest } from './wire/route.js';
export type { Session, SessionContent, SessionRound } from './wire/session.js';
