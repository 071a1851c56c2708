import { hash } from 'node:crypto';
import type { FileFault } from '../manifest/check-manifests.js';
import type { Manifest } from '../manifest/schema.js';
import { foldText } from '../retrieval/fold.js';
import { CapabilityNames } from './capability-names.js';
import type { LabelledQuery } from './labelled-query.js';
import { QueryFaults } from './query-faults.js';
import { readQueryFile } from './query-file.js';

/** What a file of queries holds, as far as it decides what can be concluded from it. */
export interface QuerySurvey {
  readonly queries: number;
  readonly outOfScope: number;
  readonly withPayload: number;
  /** Queries by language, the most frequent first. */
  readonly langs: ReadonlyMap<string, number>;
  /** Queries with the intent and payload of an earlier one. */
  readonly repeated: number;
  /** Those among them that expect something else than it. */
  readonly contradicting: number;
  /** Queries whose intent a capability declares as an example. */
  readonly declared: number;
  /** Capabilities that no query expects. */
  readonly unasked: number;
  /** Fields that nobody reads, with the line where each is first. */
  readonly unread: ReadonlyMap<string, number>;
}

export interface SurveyedQueries {
  readonly survey: QuerySurvey;
  /** The first faults. */
  readonly faults: readonly FileFault[];
  /** Lines that have one. */
  readonly faultyLines: number;
}

/** More names of fields help nobody, and a file could have any number of them. */
const TOLD_FIELDS = 20;

const fingerprint = (value: unknown) => hash('sha256', JSON.stringify(value), 'base64');

class Tally {
  readonly #names: CapabilityNames;
  readonly #examples: ReadonlySet<string>;
  readonly #langs = new Map<string, number>();
  readonly #unread = new Map<string, number>();
  readonly #asked = new Set<string>();
  /** What was expected of each query so far, both as fingerprints: the texts themselves may not fit. */
  readonly #seen = new Map<string, string>();
  #counts = { queries: 0, outOfScope: 0, withPayload: 0, repeated: 0, contradicting: 0, declared: 0 };

  constructor(names: CapabilityNames, manifests: readonly Manifest[]) {
    this.#names = names;
    const examples = manifests.flatMap(({ capabilities }) => capabilities.flatMap((it) => it.examples));
    this.#examples = new Set(examples.map(foldText));
  }

  add({ line, intent, payload, expected, lang }: LabelledQuery, unread: readonly string[]): void {
    const counts = this.#counts;
    counts.queries += 1;
    if (expected.length === 0) counts.outOfScope += 1;
    if (payload !== null && Object.keys(payload).length > 0) counts.withPayload += 1;
    if (this.#examples.has(foldText(intent))) counts.declared += 1;
    this.#langs.set(lang, (this.#langs.get(lang) ?? 0) + 1);
    const keys = expected.flatMap((label) => this.#names.keysOf(label)).sort();
    for (const key of keys) this.#asked.add(key);
    const asked = fingerprint([intent.trim(), payload]);
    const answer = fingerprint(keys);
    const before = this.#seen.get(asked);
    if (before !== undefined) counts.repeated += 1;
    if (before !== undefined && before !== answer) counts.contradicting += 1;
    this.#seen.set(asked, before ?? answer);
    for (const name of unread) {
      if (!this.#unread.has(name) && this.#unread.size < TOLD_FIELDS) this.#unread.set(name, line);
    }
  }

  survey(): QuerySurvey {
    const langs = [...this.#langs].sort(([, a], [, b]) => b - a);
    const unasked = this.#names.size - this.#asked.size;
    return { ...this.#counts, langs: new Map(langs), unasked, unread: this.#unread };
  }
}

/**
 * Reads a file of queries once from end to end: whether every line can be used, and what the file can tell. Of
 * each query a few dozen bytes stay in memory.
 * @throws the file system's error
 */
export async function surveyQueries(file: string, manifests: readonly Manifest[]): Promise<SurveyedQueries> {
  const names = new CapabilityNames(manifests);
  const tally = new Tally(names, manifests);
  const found = new QueryFaults(file, names);
  for await (const line of readQueryFile(file)) {
    found.look(line);
    if (line.kind === 'query') tally.add(line.query, line.unread);
  }
  const survey = tally.survey();
  const { faults, faultyLines } = found;
  if (survey.queries === 0 && faultyLines === 0) {
    faults.push({ file, line: 1, pointer: '', message: 'it holds no query' });
  }
  return { survey, faults, faultyLines };
}
