import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const DATA = fileURLToPath(new URL('../data/', import.meta.url));

/** A catalogue and queries of which somebody has said what is right. */
export interface LabelledSet {
  readonly name: string;
  /** Sets that were made from the same sentences: what knows one is no stranger to the others. */
  readonly family: string;
  readonly manifest: string;
  readonly queries: string;
  /** Whether its queries come with payloads. */
  readonly hasPayloads: boolean;
  /** Whether its catalogue and its queries are in English. */
  readonly isEnglish: boolean;
  /** Whether its queries are in another language than its catalogue. */
  readonly isCrossLanguage: boolean;
  /** What becomes of the examples that its manifest gives. */
  readonly examples: 'none' | 'published' | 'left out';
}

function labelledSet(name: string, queriesOf = name): LabelledSet {
  return {
    name: queriesOf === name ? name : `${queriesOf} on ${name}`,
    family: name.split('_')[0] ?? name,
    manifest: join(DATA, name, 'manifest.json'),
    queries: join(DATA, queriesOf, 'queries.jsonl'),
    hasPayloads: !/^(clinc|banking)/.test(name),
    isEnglish: !/zh/.test(name + queriesOf),
    isCrossLanguage: queriesOf !== name,
    examples: /^(bfcl|acebench)|_descriptions$/.test(name) ? 'none' : 'published',
  };
}

export const LABELLED_SETS: readonly LabelledSet[] = readdirSync(DATA, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => labelledSet(name))
  .sort((a, b) => (a.name < b.name ? -1 : 1));

/** Queries in one language on a manifest in the other. */
export const CROSS_LANGUAGE: readonly LabelledSet[] = [
  labelledSet('massive_en', 'massive_zh'),
  labelledSet('massive_zh', 'massive_en'),
  labelledSet('homeassistant_en', 'homeassistant_zh'),
  labelledSet('homeassistant_zh', 'homeassistant_en'),
];

/** The same catalogues as teams would write them who give no examples. */
export const WITHOUT_EXAMPLES: readonly LabelledSet[] = LABELLED_SETS.filter(
  ({ examples }) => examples === 'published',
).map((set) => ({ ...set, name: `${set.name} without examples`, examples: 'left out' }));
