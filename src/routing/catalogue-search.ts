import type { Clock } from '../clock.js';
import type { Embedder } from '../embedding/embedder.js';
import { type BySpace, embedIntent } from '../embedding/embedding-space.js';
import type { CatalogueIndex } from '../retrieval/catalogue-index.js';
import type { IndexedCapability } from '../retrieval/indexed-capability.js';
import type { CallEnd } from '../running-calls.js';
import { CandidateCache, candidateKey } from './candidate-cache.js';
import { CandidateSet, type Found, type Meaning } from './candidate-set.js';
import { groupsNeeded } from './decide.js';
import { filteredBy } from './filter.js';
import type { Search } from './read-request.js';
import type { Weights } from './weights.js';

export interface CatalogueSearchParts {
  readonly index: CatalogueIndex;
  readonly embedders: BySpace<Embedder>;
  readonly clock: Clock;
}

/** Looks for intents in the catalogue. What was asked a moment ago, while that is still the same, need not be waited for. */
export class CatalogueSearch {
  readonly #parts: CatalogueSearchParts;
  readonly #cache = new CandidateCache();

  constructor(parts: CatalogueSearchParts) {
    this.#parts = parts;
  }

  /**
   * Finds at once, in the catalogue of the moment in which the function is called. What is watched is looked up as one
   * that asks to be explained: it finds the same, and more that nobody else is told of. `weights`: those that score.
   * @throws ReachError those of Embedder.embed
   */
  lookUp(
    ask: Search,
    watched: boolean,
    weights: Weights,
    end: Partial<CallEnd>,
  ): (() => Found) | Promise<() => Found> {
    const { index, clock } = this.#parts;
    const request = watched ? { ...ask.request, explain: true } : ask.request;
    const { payload } = request;
    const key = candidateKey(ask, groupsNeeded(request, weights));
    const known = this.#cache.get(key, { catalogueVersion: index.version, weights }, clock.monotonic());
    if (known !== undefined) return () => known.foundFor(payload);
    return this.#understand(ask, end).then((meaning) => () => {
      const set = new CandidateSet(index.capabilities, request, meaning, weights);
      this.#cache.set(key, set, { catalogueVersion: index.version, weights }, clock.monotonic());
      return set.foundFor(payload);
    });
  }

  async #understand({ intent, request }: Search, { signal }: Partial<CallEnd>): Promise<Meaning> {
    const { embedders, index } = this.#parts;
    const wanted = { intent, fields: Object.keys(request.payload ?? {}) };
    const embedding = embedIntent(embedders, intent, signal === undefined ? {} : { signal });
    // Meanwhile the model computes in its own process.
    const clues = index.capabilities.clues(wanted);
    const { filter = {} } = request;
    const accepts = (capability: IndexedCapability) => filteredBy(capability, filter) === undefined;
    clues.best(accepts);
    return { ...wanted, accepts, vectors: await embedding, clues };
  }
}
