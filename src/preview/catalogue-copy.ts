import type { Clock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import type { InstanceView, InstanceViews } from '../health/instance-view.js';
import { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { Agent, CatalogueSnapshot } from '../registry/catalogue.js';
import type { CatalogueIndex } from '../retrieval/catalogue-index.js';
import { FIRST_INSTANCE, Judge, type JudgeParts } from '../routing/judge.js';
import { readRequest } from '../routing/read-request.js';
import type { Verdict } from '../routing/verdict.js';
import type { Weights } from '../routing/weights.js';
import type { CallEnd } from '../running-calls.js';
import type { Overlap } from '../wire/agents.js';
import type { RouteRequest } from '../wire/route.js';

/** What decides in the service, and in a copy of its catalogue. */
export interface DecidingParts extends Omit<JudgeParts, 'choice'> {
  readonly weights: () => Weights;
}

/** Everybody has an instance that can take work: decisions tell of manifests, and not of who is up. */
const EVERYBODY_UP: InstanceViews = {
  instancesOf: (agentName): InstanceView[] => [
    {
      agentName,
      instanceId: 'stand-in',
      address: 'http://127.0.0.1:9',
      addrVersion: 1,
      weight: 100,
      region: undefined,
      labels: {},
      version: undefined,
      state: 'up',
      reason: 'stands in',
      since: 0,
      suspect: false,
      blocked: new Set(),
      reachability: 1,
      pending: 0,
      maxConcurrency: undefined,
      latencyMs: undefined,
    },
  ],
};

/** Recorded intents wait behind those of callers, and their vectors are not kept. */
function behindCallers(embedder: Embedder): Embedder {
  return {
    model: embedder.model,
    embed: (texts, kind, options) => embedder.embed(texts, kind, { ...options, bulk: true, keep: false }),
    status: () => embedder.status(),
    close: () => embedder.close(),
  };
}

/** A catalogue that nobody else sees, in which is decided as in the service: by what was in force when it was made. */
export class CatalogueCopy {
  readonly #index: CatalogueIndex;
  readonly #judge: Judge;
  readonly #overlaps: OverlapFinder;
  readonly #weights: Weights;
  readonly #clock: Clock;
  #snapshot: CatalogueSnapshot;

  private constructor(index: CatalogueIndex, snapshot: CatalogueSnapshot, parts: DecidingParts) {
    const { clock, embedders } = parts;
    const [weights, rules] = [parts.weights(), parts.rules()];
    this.#index = index;
    this.#snapshot = snapshot;
    this.#weights = weights;
    this.#clock = clock;
    this.#overlaps = new OverlapFinder(
      { index: index.capabilities, embedders, weights: () => weights },
      clock,
    );
    this.#judge = new Judge({
      ...parts,
      catalogue: () => this.#snapshot,
      index,
      embedders: {
        main: behindCallers(embedders.main),
        english: embedders.english && behindCallers(embedders.english),
      },
      choice: FIRST_INSTANCE,
      rules: () => rules,
    });
  }

  /** Made with pauses, and again where the catalogue changed meanwhile. @throws the reason of its end */
  static async of(parts: DecidingParts, end: CallEnd): Promise<CatalogueCopy> {
    for (;;) {
      const snapshot = parts.catalogue();
      const index = await parts.index.copy(end);
      if (parts.catalogue() === snapshot) return new CatalogueCopy(index, snapshot, parts);
    }
  }

  /** @throws ReachError as Judge.judge */
  async route(request: RouteRequest, end: CallEnd): Promise<Verdict> {
    const circumstances = {
      start: this.#clock.monotonic(),
      weights: this.#weights,
      instances: EVERYBODY_UP,
      conversation: {},
      watched: false,
      end,
    };
    return this.#judge.judge(readRequest(request, undefined), circumstances, ({ verdict }) => verdict);
  }

  /** Makes an agent ready to be published. @throws ReachError as CatalogueIndex.prepare */
  prepare(agent: Agent, end: CallEnd): Promise<void> {
    return this.#index.prepare([agent], end);
  }

  /** Puts a prepared agent in the place of the one of its name. Nothing may be asked meanwhile. */
  async publish(agent: Agent): Promise<void> {
    const { agentName } = agent.manifest;
    const before = this.#snapshot.agents.get(agentName);
    const version = this.#snapshot.version + 1;
    this.#snapshot = { version, agents: new Map(this.#snapshot.agents).set(agentName, agent) };
    await this.#index.applyInSlices(this.#snapshot, [{ kind: 'published', agent, before }]);
  }

  /** As OverlapFinder.inPassing. */
  overlapsOf(agent: Agent): Promise<Overlap[] | null> {
    return this.#overlaps.inPassing(agent);
  }
}
