import { LruMap } from '../lru-map.js';
import type { CandidateSet } from './candidate-set.js';
import { shapeOf } from './features.js';
import type { Search } from './read-request.js';

/** With up to 64 candidates each, some 30 MB. */
const CAPACITY = 2_000;
/** A set never outlives its catalogue; this only lets go of what nobody asks for any more. */
const KEPT_MS = 30_000;

interface Entry {
  readonly set: CandidateSet;
  readonly catalogueVersion: number;
  readonly until: number;
}

/** What a candidate set depends on besides the catalogue: the text, the payload's shape, and the filter. */
export function candidateKey({ intent, request: { payload, filter, explain } }: Search): string {
  const shape = [...(shapeOf(payload) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
  const sent = payload !== undefined && payload !== null;
  return JSON.stringify([intent, sent ? shape : null, filter ?? {}, explain ?? false]);
}

/** Candidate sets of the current catalogue: bounded in number and time, never older than the last change. */
export class CandidateCache {
  readonly #entries = new LruMap<string, Entry>(CAPACITY);

  get(key: string, catalogueVersion: number, now: number): CandidateSet | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.catalogueVersion !== catalogueVersion || now > entry.until)
      return undefined;
    return entry.set;
  }

  set(key: string, set: CandidateSet, catalogueVersion: number, now: number): void {
    this.#entries.set(key, { set, catalogueVersion, until: now + KEPT_MS });
  }
}
