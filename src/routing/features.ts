import type { PayloadField } from '../manifest/payload-fields.js';
import type { RetrievedCapability } from '../retrieval/capability-index.js';
import type { Similarities } from '../retrieval/capability-vectors.js';
import { foldFieldName } from '../retrieval/fold.js';

/**
 * The signals from which relevance is made, each in -1..1 (cosines) or 0..1, `fields_evidence` up to 4. Weights
 * refer to them by name. Cosines are those of the main model, under the names that begin with `beside` where the
 * English model knows the candidate too: there they count otherwise. What a team without examples has written
 * counts under the names that end in `terse`.
 */
export const FEATURE_NAMES = [
  'centroid',
  'views_centroid',
  'full',
  'full_terse',
  'beside_centroid',
  'beside_full',
  'english_centroid',
  'english_views_centroid',
  'english_full',
  'english_full_terse',
  'lexical',
  'lexical_fields',
  'lexical_fields_terse',
  'fields_known',
  'fields_evidence',
  'required_present',
  'types_valid',
  'all_fit',
  'fields_unused',
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

/** Where each cosine of the main model counts, without and with the English model beside. */
function setMeaning(features: Features, main: Similarities, english: Similarities | undefined): void {
  if (english === undefined) {
    features[PLACES.centroid] = main.centroid;
    features[PLACES.views_centroid] = main.viewsCentroid;
    features[main.nearest === undefined ? PLACES.full_terse : PLACES.full] = main.full;
    return;
  }
  features[PLACES.beside_centroid] = main.centroid;
  features[PLACES.beside_full] = main.full;
  features[PLACES.english_centroid] = english.centroid;
  features[PLACES.english_views_centroid] = english.viewsCentroid;
  features[english.nearest === undefined ? PLACES.english_full_terse : PLACES.english_full] = english.full;
}

function setCoverage(
  features: Features,
  fields: ReadonlyMap<string, PayloadField>,
  payload: PayloadShape,
): void {
  // A schema that names no field neither fits nor fails to.
  if (fields.size === 0) return;
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
  // A schema that requires nothing is no evidence for this payload unless it knows some of it.
  features[PLACES.required_present] = required === 0 ? share(known, payload.size) : share(present, required);
  features[PLACES.types_valid] = share(valid, payload.size);
  features[PLACES.all_fit] = valid === payload.size && present === required ? 1 : 0;
  features[PLACES.fields_unused] = 1 - share(known, fields.size);
}

/** All signals of one candidate. Payload signals are 0 where no payload was sent. */
export function featuresOf(retrieved: RetrievedCapability, payload: PayloadShape | undefined): Features {
  const { indexed, similarities, overlaps } = retrieved;
  const { main, english } = similarities;
  const features = noFeatures();
  setMeaning(features, main, english);
  const isTerse = main.nearest === undefined;
  features[PLACES.lexical] = overlaps.words;
  features[isTerse ? PLACES.lexical_fields_terse : PLACES.lexical_fields] = overlaps.fieldWords;
  if (payload === undefined) return features;
  features[PLACES.fields_known] = overlaps.fields;
  features[PLACES.fields_evidence] = overlaps.fieldsEvidence;
  setCoverage(features, indexed.fields, payload);
  return features;
}

/** The best cosine of the intent to a text of the capability. */
export function similarityOf({ summary, full, example }: Similarities): number {
  return Math.max(summary, full, example);
}

/** How well the payload fits, 0..1; null where none was sent. */
export function coverageOf(features: Features, payload: PayloadShape | undefined): number | null {
  if (payload === undefined) return null;
  const known = featureOf(features, 'fields_known');
  const present = featureOf(features, 'required_present');
  return (known + present + featureOf(features, 'types_valid')) / 3;
}
