export type { AgentLogger } from './agent/agent-logger.js';
export type { ServeAgentOptions } from './agent/agent-settings.js';
export { type AgentState, type ServedAgent, serveAgent } from './agent/serve-agent.js';
export { type AgentTask, type Handler, PayloadError, type TaskAnswer } from './agent/task.js';
export {
  type ChangesOptions,
  type DispatchOptions,
  ReachClient,
  type ReachClientOptions,
  type RouteOptions,
  type WatchOptions,
} from './client/reach-client.js';
export { ReachClientError } from './client/reach-client-error.js';
export type { Attempt, DispatchAnswer, DispatchRequest, Lane } from './wire/dispatch.js';
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
export type { Candidate, Decision, RouteRequest } from './wire/route.js';
