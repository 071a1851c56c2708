import { LruMap } from '../lru-map.js';
import type { CandidateSet } from './candidate-set.js';
import { type PayloadShape, shapeOf } from './features.js';
import type { Search } from './read-request.js';
import type { Weights } from './weights.js';

/** Some 4 KB each where only the best are listed. */
const CAPACITY = 2_000;
/** A set never outlives its catalogue; this only lets go of what nobody asks for any more. */
const KEPT_MS = 30_000;

interface Entry {
  readonly set: CandidateSet;
  readonly until: number;
}

/** Under what candidates were found and scored. */
interface Basis {
  readonly catalogueVersion: number;
  readonly weights: Weights;
}

/** What a candidate set depends on besides its basis: the text, the payload's shape, the filter, and how many groups are needed. */
export function candidateKey({ intent, request: { payload, filter } }: Search, groups: number): string {
  const sent = payload === undefined || payload === null ? '' : fieldsKey(shapeOf(payload));
  // The intent comes last and as it is: no other part has line breaks, so none can be taken for it.
  return `${groups}\n${sent}\n${filter === undefined ? '' : JSON.stringify(filter)}\n${intent}`;
}

/** Folded names have no white space: the fields of two shapes cannot be taken for each other. */
function fieldsKey(shape: PayloadShape | undefined): string {
  const fields: string[] = [];
  let isSorted = true;
  for (const [name, types] of shape ?? []) {
    const field = `${name} ${types.join()}`;
    isSorted &&= (fields.at(-1) ?? '') <= field;
    fields.push(field);
  }
  return `{${(isSorted ? fields : fields.sort()).join(' ')}}`;
}

/**
 * Candidate sets of the current catalogue and weights, bounded in number and time. All of them go when these change:
 * they hold on to capabilities, and those of catalogues gone by would fill the memory.
 */
export class CandidateCache {
  #entries = new LruMap<string, Entry>(CAPACITY);
  #basis: Basis | undefined;

  get(key: string, basis: Basis, now: number): CandidateSet | undefined {
    const entry = this.#entriesOf(basis).get(key);
    return entry === undefined || now > entry.until ? undefined : entry.set;
  }

  set(key: string, set: CandidateSet, basis: Basis, now: number): void {
    this.#entriesOf(basis).set(key, { set, until: now + KEPT_MS });
  }

  #entriesOf(basis: Basis): LruMap<string, Entry> {
    const { catalogueVersion, weights } = basis;
    const isSame = this.#basis?.catalogueVersion === catalogueVersion && this.#basis.weights === weights;
    if (!isSame) this.#entries = new LruMap(CAPACITY);
    this.#basis = basis;
    return this.#entries;
  }
}
