import { readFileSync } from 'node:fs';
import type { Logger } from 'pino';
import { openCluster } from './cluster/open-cluster.js';
import { newReplicaId } from './cluster/replica-id.js';
import type { ReachConfig } from './config.js';
import { openDoctor } from './doctor/open-doctor.js';
import { openModelFolder } from './embedding/model-folder.js';
import { reachOver } from './facade/reach-over.js';
import { allOf } from './health-report.js';
import { openLabels } from './labels/open-labels.js';
import { Lifecycle } from './lifecycle.js';
import { ChangeStream } from './live/change-stream.js';
import { DecisionStream } from './live/decision-stream.js';
import { openFleet } from './open-fleet.js';
import { openFollowing } from './open-following.js';
import { openSpaces, type SpaceContext } from './open-space.js';
import { openWork } from './open-work.js';
import { OverlapFinder } from './overlaps/overlap-finder.js';
import { PublishPreviews } from './preview/publish-previews.js';
import type { Reach } from './reach.js';
import { openRecords } from './record/open-records.js';
import { FolderSync } from './registry/folder-sync.js';
import { Registry } from './registry/registry.js';
import { CatalogueIndex } from './retrieval/catalogue-index.js';
import { vectorIndexReport } from './retrieval/vector-index-report.js';
import { InstanceChoice } from './routing/instance-choice.js';
import type { InstanceStrategies } from './routing/instance-strategy.js';
import { Router } from './routing/router.js';
import type { Rule } from './rules/rule.js';
import { RulesFile } from './rules/rules-file.js';
import { openStores } from './storage/open-stores.js';
import { readWeights } from './storage/weights-file.js';
import { openShadow } from './tuning/open-shadow.js';
import { WeightsInForce } from './tuning/weights-in-force.js';

/** Until callers have keys, everything belongs to one team. */
export const TEAM = 'default';

const NO_RULES: readonly Rule[] = [];

/** Of the package; for people and for reports. */
export const VERSION: string = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
).version;

export interface StartHooks {
  /** One line for a person about each long step of the start. */
  readonly onProgress?: (line: string) => void;
  /** Told how many texts of a publish are embedded, of how many, after each slice of them. */
  readonly onEmbedded?: (done: number, total: number) => void;
  /** Strategies of choosing an instance beside the built-in ones, by the name that manifests give them. */
  readonly strategies?: InstanceStrategies;
  /** Ends the start: what was opened is closed, and the start rejects. */
  readonly signal?: AbortSignal;
}

/** A façade whose catalogue is not loaded yet, so that a door can already say that it is not ready. */
export interface OpenedReach {
  readonly reach: Reach;
  readonly registry: Registry;
  /** Loads the catalogue, and embeds what is new in it. */
  readonly load: () => Promise<void>;
  /** Waits for the models; from then on intents are answered, and requests that an earlier process has left go on. */
  readonly open: () => Promise<void>;
  /** It is closed soon: what waits is left to the next start, while what is under way still ends. */
  readonly announceEnd: () => void;
}

/**
 * Builds all parts and puts them together: the only place that names adapters. Closes again what it opened if it
 * fails. `doorUrl`: where the HTTP door listens, once it does.
 */
export async function openReach(
  config: ReachConfig,
  logger: Logger,
  hooks: StartHooks,
  doorUrl: () => string | undefined = () => undefined,
): Promise<OpenedReach> {
  const lifecycle = new Lifecycle((part, error) =>
    logger.error({ err: error }, `${part} did not close in order`),
  );
  try {
    return await assemble(config, logger, hooks, lifecycle, doorUrl);
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
  doorUrl: () => string | undefined,
): Promise<OpenedReach> {
  const report = (message: string) => logger.warn(message);

  const replicaId = newReplicaId();
  const stores = await openStores(config, { replicaId, report });
  lifecycle.add('store', () => stores.close());
  const { clock } = stores;
  const cluster = openCluster({ shared: stores.shared, replicaId, team: TEAM, clock, lifecycle, report });
  const { shares } = cluster;

  // Closed after the embedding, whose end also ends what a file of the folder is waiting for.
  let folderSync: FolderSync | undefined;
  lifecycle.add('manifests', () => folderSync?.close());

  const { routes, routesNamed, threshold, fallbackAgent } = config;
  const rulesFile = routes === null ? undefined : new RulesFile(routes, routesNamed, report);
  lifecycle.add('rules', () => rulesFile?.close());
  const rules = () => rulesFile?.rules ?? NO_RULES;

  const others =
    stores.shared && openFollowing({ shared: stores.shared, cluster, team: TEAM, clock, report });
  lifecycle.add('following', () => others?.close());
  const publishRules = { strictCompat: config.strictCompat, folderWatched: config.manifests !== null };
  const registry = new Registry({
    store: stores.catalogue,
    team: TEAM,
    rules: publishRules,
    report,
    catchUp: others?.catchUp,
  });
  const catalogue = () => registry.snapshot;
  folderSync = config.manifests === null ? undefined : new FolderSync(config.manifests, registry, report);

  const changeStream = new ChangeStream(clock);
  const decisionStream = new DecisionStream();
  lifecycle.add('changes', () => changeStream.close());
  lifecycle.add('watch', () => decisionStream.close());

  const { instances, instanceRegistry, prober, exchange } = openFleet({
    store: stores.instances,
    probes: config.probes,
    leases: others?.leases,
    ...{ cluster, changeStream, team: TEAM, clock, lifecycle, report },
  });

  let started = false;
  const { configured, weightsOnDisk, spaces, index } = await openIndex(
    {
      config,
      store: stores.vectors,
      catalogueVersion: () => registry.snapshot.version,
      lifecycle,
      logger,
    },
    hooks,
    () => started,
  );
  registry.follow(instances);
  registry.follow(instanceRegistry);
  registry.follow(index);
  registry.follow(changeStream);

  const weightsInForce = await WeightsInForce.open({ store: stores.tuning, team: TEAM, configured, clock });
  for (const { sentence } of weightsInForce.misfits) report(sentence);
  const weights = () => weightsInForce.current;

  const embedders = { main: spaces.main.embedder, english: spaces.english?.embedder };
  const overlaps = new OverlapFinder({ index: index.capabilities, embedders, weights }, clock);
  const records = await openRecords({
    stores,
    team: TEAM,
    instances,
    catalogue,
    shares,
    clock,
    lifecycle,
    report,
  });
  const { recorder } = records;
  const labels = openLabels({ store: stores.labels, team: TEAM, recorder, clock, lifecycle, report });
  const choice = new InstanceChoice(hooks.strategies, report);
  const { doctor, usage } = openDoctor({
    catalogue,
    views: instances,
    registered: () => instanceRegistry.registered(),
    rules,
    strategies: choice,
    weights: { inForce: weightsInForce, configured, onDisk: weightsOnDisk },
    overlaps,
    clock,
    lifecycle,
  });
  const judged = { catalogue, index, embedders, clock, threshold, fallbackAgent, rules };
  const { shadow, shadowComparer } = openShadow({
    ...judged,
    instances,
    weights: () => weightsInForce.shadow,
    ...{ recorder, records: stores.records, labels: labels.book, team: TEAM },
    lifecycle,
    report,
  });
  const observers = [decisionStream, recorder, records.trend, usage, labels.gatherer, shadow];
  const router = new Router({ ...judged, instances, choice, weights, observers });
  const work = await openWork({
    config,
    stores,
    cluster,
    router,
    catalogue,
    instances: records.instances,
    choice,
    fleet: instances,
    doorUrl,
    team: TEAM,
    clock,
    lifecycle,
    report,
  });
  registry.follow(work.parts.dispatcher);

  // What is known already is indexed while the models are loaded, and where one cannot be, `open` says why.
  const modelsReady = Promise.all(allOf(spaces).map(({ ready }) => ready));
  modelsReady.catch(() => {});
  const load = async () => {
    // What other replicas change from here on is applied once all is loaded.
    await others?.begin();
    // First of all: instances can beat while the catalogue is being embedded.
    await instanceRegistry.load();
    await registry.load();
    await others?.follow({ registry, instanceRegistry, instances, weightsInForce });
    exchange?.start();
    await folderSync?.start();
    await rulesFile?.start();
    if (fallbackAgent !== null && !registry.snapshot.agents.has(fallbackAgent)) {
      report(`The fallback agent ${fallbackAgent} is not in the catalogue: until it is, a human is asked.`);
    }
  };
  const open = async () => {
    await modelsReady;
    await cluster.start();
    // Nobody is told that all is ready while the start may still fail.
    await work.start();
    started = true;
    prober?.start();
    doctor.start();
  };
  const reach = reachOver({
    version: VERSION,
    registry,
    ...work.parts,
    overlaps,
    previews: new PublishPreviews({ ...judged, weights }),
    instanceRegistry,
    doctor,
    instances,
    changeStream,
    decisionStream,
    embedders,
    threshold,
    weightsInForce,
    vectorIndex: () =>
      vectorIndexReport(
        allOf(spaces).map(({ embedder, nearest }) => ({ model: embedder.model.name, index: nearest })),
      ),
    store: () => stores.status(),
    manifests: () => folderSync?.status() ?? { state: 'ok', detail: 'No folder of manifests is watched.' },
    rules: () =>
      rulesFile?.status(registry.snapshot) ?? { state: 'ok', detail: 'No file of rules is followed.' },
    replicas: () => cluster.status(),
    reachability: () => prober?.reachability() ?? { state: 'ok', detail: 'Nothing is probed.' },
    records,
    shadow,
    shadowComparer,
    labels,
    clock,
    lifecycle,
    started: () => started,
  });
  return { reach, registry, load, open, announceEnd: () => lifecycle.announceEnd() };
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
  const weightsOnDisk = () => readWeights({ modelFolder: folder.path, file }, folder.identity);
  const configured = await weightsOnDisk();
  const spaces = await openSpaces(folder, configured, context);
  const index = new CatalogueIndex(spaces, (done, total) => {
    onEmbedded(done, total);
    if (!isStarted()) onProgress(`Embedding ${done}/${total} texts`);
  });
  return { configured, weightsOnDisk, spaces, index };
}
