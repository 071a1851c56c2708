import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { type ReachConfig, type ReachOptions, resolveConfig } from './config.js';
import { type SampleAgents, startSampleAgents } from './demo/sample-agents.js';
import { type HttpDoor, startHttp } from './http/server.js';
import { openReach, type StartHooks } from './open-reach.js';
import type { Reach } from './reach.js';
import type { Registry } from './registry/registry.js';

export type { ReachOptions } from './config.js';
export { ERRORS, type ErrorCode, type FieldError, ReachError } from './errors.js';
export type { LabelListQuery } from './facade/label-calls.js';
export type { FollowOptions, WatchFilter } from './facade/live-calls.js';
export type { RouteExportQuery } from './facade/record-calls.js';
export type {
  FollowedRequest,
  FollowRequestOptions,
  RequestContext,
  RequestListQuery,
} from './facade/request-calls.js';
export type { RouteOptions } from './facade/routing-calls.js';
export type { SessionListQuery } from './facade/session-calls.js';
export type { Changes } from './live/change-stream.js';
export { type StartHooks, VERSION } from './open-reach.js';
export type { Reach } from './reach.js';
export type { InstanceStrategies, InstanceStrategy, StrategyCall } from './routing/instance-strategy.js';
export type { Weights } from './routing/weights.js';
export type { AgentDetail, AgentList, PublishAnswer, RemoveAnswer } from './wire/agents.js';
export type { BatchAnswer, BatchRequest } from './wire/batch.js';
export type { DispatchAnswer, DispatchRequest } from './wire/dispatch.js';
export type { HealthReport } from './wire/health.js';
export type { Heartbeat, InstanceDetail, InstanceList, Registration } from './wire/instances.js';
export type { ChatMessage, ChatReply } from './wire/invoke.js';
export type { Label, LabelAddition, LabelReview, LabelsAdded } from './wire/labels.js';
export type { ChangeEvent, ChangeFilter, DecisionEvent } from './wire/live.js';
export type { OutcomeAnswer, OutcomeReport, RecordedDecision, Trend } from './wire/records.js';
export type { AgentReply, Queues, RequestEvent, RequestList, RequestStatus } from './wire/requests.js';
export type { Candidate, Decision, RouteRequest } from './wire/route.js';
export type { Session, SessionContent, SessionList } from './wire/sessions.js';
export type { ApplyOptions, Rollback, Tuning } from './wire/tuning.js';

/** Where a service looks and keeps things unless told otherwise. */
const SERVICE_OPTIONS: ReachOptions = { manifests: 'manifests', data: '.reach' };
/** The demo serves the company that comes with the package. */
const DEMO_OPTIONS: ReachOptions = {
  ...SERVICE_OPTIONS,
  manifests: fileURLToPath(new URL('../manifests/', import.meta.url)),
  fallbackAgent: 'chat-agent',
};

function loggerOf({ logLevel }: ReachConfig): Logger {
  return pino({ level: logLevel, name: 'agent-reach' }, pino.destination({ dest: 2, sync: true }));
}

/**
 * Starts Agent-Reach inside this process and resolves when it answers intents.
 * @throws ReachError CONFIG_INVALID, MODEL_INVALID, STORE_UNAVAILABLE; then nothing is left running
 */
export async function createReach(options: ReachOptions = {}, hooks: StartHooks = {}): Promise<Reach> {
  const config = resolveConfig(options);
  const { reach, load, open } = await openReach(config, loggerOf(config), hooks);
  const start = async () => {
    await load();
    await open();
  };
  await orClose(start(), () => reach.close());
  return reach;
}

/** Agent-Reach behind its doors. */
export interface Service {
  /** `http://host:port`. */
  readonly address: string;
  /** No new work; running work ends within its deadline; then everything is closed. */
  close(): Promise<void>;
}

/**
 * Serves over HTTP. The door is open, saying that it is not ready, while the catalogue is embedded.
 * @throws ReachError as createReach, and PORT_TAKEN
 */
export async function serve(options: ReachOptions = {}, hooks: StartHooks = {}): Promise<Service> {
  return startService({ ...SERVICE_OPTIONS, ...options }, hooks, async () => undefined);
}

/**
 * Serves, with the sample agents as processes of their own beside it.
 * @throws ReachError as serve; PORT_TAKEN and AGENT_UNREACHABLE for the agents too
 */
export async function demo(options: ReachOptions = {}, hooks: StartHooks = {}): Promise<Service> {
  return startService({ ...DEMO_OPTIONS, ...options }, hooks, async (registry, logger) => {
    const places = [...registry.snapshot.agents.values()].flatMap(({ manifest, document }) =>
      manifest.instances.slice(0, 1).map((instance) => ({
        agentName: manifest.agentName,
        manifest: document,
        instanceId: instance.instanceId,
        address: instance.address,
      })),
    );
    hooks.onProgress?.('Starting the sample agents');
    return startSampleAgents(places, {
      onDeath: (death) => logger.warn(death, 'A sample agent ended by itself'),
    });
  });
}

type StartAgents = (registry: Registry, logger: Logger) => Promise<SampleAgents | undefined>;

async function startService(
  options: ReachOptions,
  hooks: StartHooks,
  startAgents: StartAgents,
): Promise<Service> {
  const config = resolveConfig(options);
  const logger = loggerOf(config);
  const opened: { door?: HttpDoor; agents?: SampleAgents | undefined } = {};
  const doorUrl = () => opened.door?.address;
  const { reach, registry, load, open, announceEnd } = await openReach(config, logger, hooks, doorUrl);
  const endStart = () => void reach.close();
  hooks.signal?.addEventListener('abort', endStart, { once: true });
  const close = async () => {
    opened.agents?.serviceEnds();
    announceEnd();
    await opened.door?.close();
    await reach.close();
    await opened.agents?.close();
  };
  const start = async () => {
    opened.door = await startHttp(reach, config, logger);
    await load();
    opened.agents = await startAgents(registry, logger);
    await open();
    // Not before: all of them would ask in vain until the service is open.
    opened.agents?.join(opened.door.address);
    return opened.door.address;
  };
  const address = await orClose(start(), close);
  // From here on it is closed from the door inwards: what the door has let in is answered.
  hooks.signal?.removeEventListener('abort', endStart);
  return { address, close };
}

async function orClose<T>(work: Promise<T>, close: () => Promise<void>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    await close();
    throw error;
  }
}
