import { LruMap } from '../lru-map.js';
import type { CandidateSet } from './candidate-set.js';
import { shapeOf } from './features.js';
import type { Search } from './read-request.js';

/** Some 4 KB each where only the best are listed. */
const CAPACITY = 2_000;
/** A set never outlives its catalogue; this only lets go of what nobody asks for any more. */
const KEPT_MS = 30_000;

interface Entry {
  readonly set: CandidateSet;
  readonly until: number;
}

/** What a candidate set depends on besides the catalogue: the text, the payload's shape, the filter, and how many groups are needed. */
export function candidateKey({ intent, request: { payload, filter } }: Search, groups: number): string {
  const shape = [...(shapeOf(payload) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const sent = payload !== undefined && payload !== null;
  return JSON.stringify([intent, sent ? shape : null, filter ?? {}, groups]);
}

/**
 * Candidate sets of the current catalogue, bounded in number and time. All of them go when it changes: they hold
 * on to capabilities, and those of catalogues gone by would fill the memory.
 */
export class CandidateCache {
  #entries = new LruMap<string, Entry>(CAPACITY);
  #catalogueVersion: number | undefined;

  get(key: string, catalogueVersion: number, now: number): CandidateSet | undefined {
    const entry = this.#entriesOf(catalogueVersion).get(key);
    return entry === undefined || now > entry.until ? undefined : entry.set;
  }

  set(key: string, set: CandidateSet, catalogueVersion: number, now: number): void {
    this.#entriesOf(catalogueVersion).set(key, { set, until: now + KEPT_MS });
  }

  #entriesOf(catalogueVersion: number): LruMap<string, Entry> {
    if (catalogueVersion !== this.#catalogueVersion) this.#entries = new LruMap(CAPACITY);
    this.#catalogueVersion = catalogueVersion;
    return this.#entries;
  }
}
