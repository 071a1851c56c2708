import type { PayloadField } from '../manifest/payload-fields.js';
import type { RetrievedCapability } from '../retrieval/capability-index.js';
import type { Similarities } from '../retrieval/capability-vectors.js';
import { foldFieldName } from '../retrieval/fold.js';

/** The signals from which relevance is made, each in -1..1 (cosines) or 0..1. Weights refer to them by name. */
export const FEATURE_NAMES = [
  'description',
  'name',
  'best_example',
  'centroid',
  'english_description',
  'english_name',
  'english_best_example',
  'english_centroid',
  'lexical',
  'keys_known',
  'required_present',
  'types_valid',
] as const;
export type FeatureName = (typeof FEATURE_NAMES)[number];
/** One number a feature, in the order of FEATURE_NAMES: many are made for each intent, and an array is what costs least. */
export type Features = Float64Array;

const PLACES = Object.fromEntries(FEATURE_NAMES.map((name, place) => [name, place])) as Record<
  FeatureName,
  number
>;

/** Of a capability that was named, not searched for. */
export function noFeatures(): Features {
  return new Float64Array(FEATURE_NAMES.length);
}

export function featureOf(features: Features, name: FeatureName): number {
  return features[PLACES[name]] ?? 0;
}

/** The features by name, for people. */
export function signalsOf(features: Features): Record<FeatureName, number> {
  return Object.fromEntries(FEATURE_NAMES.map((name, place) => [name, features[place] ?? 0])) as Record<
    FeatureName,
    number
  >;
}

/** A payload as routing looks at it: folded field names with the JSON types of their values. */
export type PayloadShape = ReadonlyMap<string, readonly string[]>;

/** The JSON types that a value has; a whole number is an integer and a number. */
function jsonTypes(value: unknown): string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (typeof value === 'number') return Number.isInteger(value) ? ['integer', 'number'] : ['number'];
  return [typeof value];
}

/** Undefined where no payload was sent, or an empty one. */
export function shapeOf(
  payload: Readonly<Record<string, unknown>> | null | undefined,
): PayloadShape | undefined {
  const entries = Object.entries(payload ?? {});
  if (entries.length === 0) return undefined;
  return new Map(entries.map(([name, value]) => [foldFieldName(name), jsonTypes(value)]));
}

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);

function setMeaning(features: Features, prefix: '' | 'english_', similarities: Similarities): void {
  const { summary, full, centroid, example } = similarities;
  features[PLACES[`${prefix}description`]] = summary;
  features[PLACES[`${prefix}name`]] = full;
  features[PLACES[`${prefix}best_example`]] = example;
  features[PLACES[`${prefix}centroid`]] = centroid;
}

function setCoverage(
  features: Features,
  fields: ReadonlyMap<string, PayloadField>,
  payload: PayloadShape,
): void {
  let known = 0;
  let valid = 0;
  for (const [name, types] of payload) {
    const field = fields.get(name);
    if (field === undefined) continue;
    known += 1;
    if (field.types.length === 0 || types.some((type) => field.types.includes(type))) valid += 1;
  }
  let required = 0;
  let present = 0;
  for (const [name, field] of fields) {
    if (!field.required) continue;
    required += 1;
    if (payload.has(name)) present += 1;
  }
  features[PLACES.keys_known] = share(known, payload.size);
  // A schema that requires nothing is no evidence for this payload unless it knows some of it.
  features[PLACES.required_present] = required === 0 ? share(known, payload.size) : share(present, required);
  features[PLACES.types_valid] = known === 0 ? 0 : share(valid, payload.size);
}

/** All signals of one candidate. Payload signals are 0 where no payload was sent, English ones where there is no English. */
export function featuresOf(retrieved: RetrievedCapability, payload: PayloadShape | undefined): Features {
  const { indexed, similarities, lexical } = retrieved;
  const features = noFeatures();
  setMeaning(features, '', similarities.main);
  if (similarities.english !== undefined) setMeaning(features, 'english_', similarities.english);
  features[PLACES.lexical] = lexical;
  if (payload !== undefined) setCoverage(features, indexed.fields, payload);
  return features;
}

/** The best cosine of the intent to a text of the capability. */
export function similarityOf(features: Features): number {
  return Math.max(
    featureOf(features, 'description'),
    featureOf(features, 'name'),
    featureOf(features, 'best_example'),
  );
}

/** How well the payload fits, 0..1; null where none was sent. */
export function coverageOf(features: Features, payload: PayloadShape | undefined): number | null {
  if (payload === undefined) return null;
  const known = featureOf(features, 'keys_known');
  const present = featureOf(features, 'required_present');
  return (known + present + featureOf(features, 'types_valid')) / 3;
}
