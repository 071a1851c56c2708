import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Logger, pino } from 'pino';
import { systemClock } from './clock.js';
import { type ReachConfig, type ReachOptions, resolveConfig } from './config.js';
import { type SampleAgents, startSampleAgents } from './demo/sample-agents.js';
import { Dispatcher } from './dispatch/dispatcher.js';
import { openModelFolder } from './embedding/model-folder.js';
import { reachOver } from './facade/reach-over.js';
import { InstanceTable } from './health/instance-table.js';
import { allOf } from './health-report.js';
import { type HttpDoor, startHttp } from './http/server.js';
import { Lifecycle } from './lifecycle.js';
import { HttpClient } from './net/http-client.js';
import { openSpaces, type SpaceContext } from './open-space.js';
import { OverlapFinder } from './overlaps/overlap-finder.js';
import type { Reach } from './reach.js';
import { FolderSync } from './registry/folder-sync.js';
import { Registry } from './registry/registry.js';
import { CatalogueIndex } from './retrieval/catalogue-index.js';
import { vectorIndexReport } from './retrieval/vector-index-report.js';
import { Router } from './routing/router.js';
import { openStores } from './storage/stores.js';
import { readWeights } from './storage/weights-file.js';
import { HttpTransport } from './transport/http-transport.js';

export type { ReachOptions } from './config.js';
export type { RequestContext } from './dispatch/dispatcher.js';
export { ERRORS, type ErrorCode, type FieldError, ReachError } from './errors.js';
export type { RouteOptions } from './facade/routing-calls.js';
export type { Reach } from './reach.js';
export type { AgentDetail, AgentList, PublishAnswer, RemoveAnswer } from './wire/agents.js';
export type { DispatchAnswer, DispatchRequest } from './wire/dispatch.js';
export type { HealthReport } from './wire/health.js';
export type { Candidate, Decision, RouteRequest } from './wire/route.js';

/** Until callers have keys, everything belongs to one team. */
const TEAM = 'default';

/** Of the package; for people and for reports. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;

/** Where a service looks and keeps things unless told otherwise. */
const SERVICE_OPTIONS: ReachOptions = { manifests: 'manifests', data: '.reach' };
/** The demo serves the company that comes with the package. */
const DEMO_OPTIONS: ReachOptions = {
  ...SERVICE_OPTIONS,
  manifests: fileURLToPath(new URL('../manifests/', import.meta.url)),
  fallbackAgent: 'chat-agent',
};

export interface StartHooks {
  /** One line for a person about each long step of the start. */
  readonly onProgress?: (line: string) => void;
  /** Told how many texts of a publish are embedded, of how many, after each slice of them. */
  readonly onEmbedded?: (done: number, total: number) => void;
  /** Ends the start: what was opened is closed, and the start rejects. */
  readonly signal?: AbortSignal;
}

/** A façade whose catalogue is not loaded yet, so that a door can already say that it is not ready. */
interface OpenedReach {
  readonly reach: Reach;
  readonly registry: Registry;
  /** Loads and embeds the catalogue. */
  readonly load: () => Promise<void>;
  /** From now on intents are answered. */
  readonly open: () => void;
}

function loggerOf({ logLevel }: ReachConfig): Logger {
  return pino({ level: logLevel, name: 'agent-reach' }, pino.destination({ dest: 2, sync: true }));
}

/** Builds all parts and puts them together: the only place that names adapters. Closes again what it opened if it fails. */
async function openReach(config: ReachConfig, logger: Logger, hooks: StartHooks): Promise<OpenedReach> {
  const lifecycle = new Lifecycle((part, error) =>
    logger.error({ err: error }, `${part} did not close in order`),
  );
  try {
    return await assemble(config, logger, hooks, lifecycle);
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

async function assemble(
  config: ReachConfig,
  logger: Logger,
  hooks: StartHooks,
  lifecycle: Lifecycle,
): Promise<OpenedReach> {
  const clock = systemClock;
  const report = (message: string) => logger.warn(message);

  const stores = await openStores(config.data);
  lifecycle.add('store', () => stores.close());

  // Closed after the embedding, whose end also ends what a file of the folder is waiting for.
  let folderSync: FolderSync | undefined;
  lifecycle.add('manifests', () => folderSync?.close());

  const rules = { strictCompat: config.strictCompat, folderWatched: config.manifests !== null };
  const registry = new Registry({ store: stores.catalogue, team: TEAM, rules, report });
  const instances = new InstanceTable();

  let started = false;
  const catalogueVersion = () => registry.snapshot.version;
  const { weights, spaces, index } = await openIndex(
    { config, store: stores.vectors, catalogueVersion, lifecycle, logger },
    hooks,
    () => started,
  );
  registry.follow(instances);
  registry.follow(index);

  const embedders = { main: spaces.main.embedder, english: spaces.english?.embedder };
  const { threshold, fallbackAgent } = config;
  const router = new Router({
    registry,
    index,
    embedders,
    instances,
    weights,
    clock,
    threshold,
    fallbackAgent,
  });
  const dispatcher = openDispatcher(router, registry, instances, lifecycle);
  folderSync = config.manifests === null ? undefined : new FolderSync(config.manifests, registry, report);

  const load = async () => {
    await Promise.all(allOf(spaces).map(({ ready }) => ready));
    await registry.load();
    await folderSync?.start();
    if (fallbackAgent !== null && !registry.snapshot.agents.has(fallbackAgent)) {
      report(`The fallback agent ${fallbackAgent} is not in the catalogue: until it is, a human is asked.`);
    }
  };
  const open = () => {
    started = true;
  };
  const reach = reachOver({
    version: VERSION,
    registry,
    router,
    dispatcher,
    overlaps: new OverlapFinder({ index: index.capabilities, embedders, weights }, clock),
    instances,
    embedders,
    threshold: threshold ?? weights.thresholds.global,
    vectorIndex: () => vectorIndexReport(allOf(spaces).map(({ nearest }) => nearest)),
    store: () => stores.status(),
    manifests: () => folderSync?.status() ?? { state: 'ok', detail: 'No folder of manifests is watched.' },
    clock,
    lifecycle,
    started: () => started,
  });
  return { reach, registry, load, open };
}

/** Starts the models with their weights, and puts an empty index of the catalogue over their spaces. */
async function openIndex(
  context: SpaceContext,
  { onProgress = () => {}, onEmbedded = () => {} }: StartHooks,
  isStarted: () => boolean,
) {
  const { model, modelsFolder, weights: file } = context.config;
  onProgress(`Loading the model ${model}`);
  const folder = await openModelFolder(model, modelsFolder);
  const weights = await readWeights({ modelFolder: folder.path, file }, folder.identity);
  const spaces = await openSpaces(folder, weights, context);
  const index = new CatalogueIndex(spaces, (done, total) => {
    onEmbedded(done, total);
    if (!isStarted()) onProgress(`Embedding ${done}/${total} texts`);
  });
  return { weights, spaces, index };
}

function openDispatcher(
  router: Router,
  registry: Registry,
  instances: InstanceTable,
  lifecycle: Lifecycle,
): Dispatcher {
  const clock = systemClock;
  const transport = new HttpTransport(new HttpClient(), clock);
  lifecycle.add('transport', () => transport.close());
  const dispatcher = new Dispatcher({
    route: (request, end) => router.route(request, end),
    catalogue: () => registry.snapshot,
    instances,
    transport,
    clock,
  });
  lifecycle.add('dispatch', () => dispatcher.close());
  return dispatcher;
}

/**
 * Starts Agent-Reach inside this process and resolves when it answers intents.
 * @throws ReachError CONFIG_INVALID, MODEL_INVALID, STORE_UNAVAILABLE; then nothing is left running
 */
export async function createReach(options: ReachOptions = {}, hooks: StartHooks = {}): Promise<Reach> {
  const config = resolveConfig(options);
  const { reach, load, open } = await openReach(config, loggerOf(config), hooks);
  await orClose(load(), () => reach.close());
  open();
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
  return startService({ ...DEMO_OPTIONS, ...options }, hooks, async (registry, logger, address) => {
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
      reach: address,
      onDeath: (death) => logger.warn(death, 'A sample agent ended by itself'),
    });
  });
}

/** `address` is that of the service, whose door is open. */
type StartAgents = (registry: Registry, logger: Logger, address: string) => Promise<SampleAgents | undefined>;

async function startService(
  options: ReachOptions,
  hooks: StartHooks,
  startAgents: StartAgents,
): Promise<Service> {
  const config = resolveConfig(options);
  const logger = loggerOf(config);
  const { reach, registry, load, open } = await openReach(config, logger, hooks);
  const endStart = () => void reach.close();
  hooks.signal?.addEventListener('abort', endStart, { once: true });
  const opened: { door?: HttpDoor; agents?: SampleAgents | undefined } = {};
  const close = async () => {
    await opened.door?.close();
    await reach.close();
    await opened.agents?.close();
  };
  const start = async () => {
    opened.door = await startHttp(reach, config, logger);
    await load();
    opened.agents = await startAgents(registry, logger, opened.door.address);
    open();
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
