import type { Clock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import type { BySpace } from '../embedding/embedding-space.js';
import type { InstanceView, InstanceViews } from '../health/instance-view.js';
import { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { Agent, CatalogueSnapshot } from '../registry/catalogue.js';
import type { CatalogueIndex } from '../retrieval/catalogue-index.js';
import { InstanceChoice } from '../routing/instance-choice.js';
import { Router } from '../routing/router.js';
import type { Weights } from '../routing/weights.js';
import type { Rule } from '../rules/rule.js';
import type { CallEnd } from '../running-calls.js';
import type { Decision, RouteRequest } from '../wire/route.js';

/** What decides in the service, and in a copy of its catalogue. */
export interface DecidingParts {
  readonly catalogue: () => CatalogueSnapshot;
  readonly index: CatalogueIndex;
  readonly embedders: BySpace<Embedder>;
  readonly weights: () => Weights;
  /** The configuration's global threshold; null: that of the weights. */
  readonly threshold: number | null;
  readonly fallbackAgent: string | null;
  readonly rules: () => readonly Rule[];
  readonly clock: Clock;
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
  readonly #router: Router;
  readonly #overlaps: OverlapFinder;
  #snapshot: CatalogueSnapshot;

  private constructor(index: CatalogueIndex, snapshot: CatalogueSnapshot, parts: DecidingParts) {
    const { clock, threshold, fallbackAgent } = parts;
    const [weights, rules] = [parts.weights(), parts.rules()];
    const { main, english } = parts.embedders;
    const embedders = { main: behindCallers(main), english: english && behindCallers(english) };
    const deciding = { embedders, weights: () => weights, clock };
    this.#index = index;
    this.#snapshot = snapshot;
    this.#overlaps = new OverlapFinder(
      { index: index.capabilities, ...deciding, embedders: parts.embedders },
      clock,
    );
    this.#router = new Router({
      ...deciding,
      catalogue: () => this.#snapshot,
      index,
      instances: EVERYBODY_UP,
      choice: new InstanceChoice(),
      threshold,
      fallbackAgent,
      rules: () => rules,
      observers: [],
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

  /** @throws ReachError as Router.route */
  async route(request: RouteRequest, end: CallEnd): Promise<Decision> {
    return (await this.#router.route(request, end)).decision;
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
  overlapsOf(agent: Agent) {
    return this.#overlaps.inPassing(agent);
  }
}
