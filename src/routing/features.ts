import type { BySpace } from '../embedding/embedding-space.js';
import type { PayloadField } from '../manifest/payload-fields.js';
import type { RetrievedCapability } from '../retrieval/capability-index.js';
import type { Similarities } from '../retrieval/capability-vectors.js';
import { foldFieldName } from '../retrieval/fold.js';

/**
 * The signals from which relevance is made, each in -1..1 (cosines) or 0..1, `fields_evidence` up to 4. Weights
 * refer to them by name. The cosine of the main model counts under `beside_centroid` where the English model knows
 * the candidate too. `not_english` is 1 for one that it does not know, although it knows others: all that is told of
 * that one is by the main model, whose cosines lie elsewhere.
 */
export const FEATURE_NAMES = [
  'views_centroid',
  'beside_centroid',
  'english_centroid',
  'english_views_centroid',
  'not_english',
  'lexical',
  'lexical_fields',
  'fields_evidence',
  'required_present',
  'all_fit',
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

/** The JSON types that values of a kind have; a whole number is an integer and a number. */
const JSON_TYPES = {
  null: ['null'],
  array: ['array'],
  integer: ['integer', 'number'],
  number: ['number'],
  string: ['string'],
  boolean: ['boolean'],
  object: ['object'],
} as const;

function jsonTypes(value: unknown): readonly string[] {
  if (value === null) return JSON_TYPES.null;
  if (Array.isArray(value)) return JSON_TYPES.array;
  if (typeof value === 'number') return Number.isInteger(value) ? JSON_TYPES.integer : JSON_TYPES.number;
  return JSON_TYPES[typeof value as 'string' | 'boolean' | 'object'] ?? [typeof value];
}

/** Undefined where no payload was sent, or an empty one. */
export function shapeOf(
  payload: Readonly<Record<string, unknown>> | null | undefined,
): PayloadShape | undefined {
  const names = Object.keys(payload ?? {});
  if (names.length === 0) return undefined;
  const shape = new Map<string, readonly string[]>();
  for (const name of names) shape.set(foldFieldName(name), jsonTypes(payload?.[name]));
  return shape;
}

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);

/** Cosines, each where it counts. `amongEnglish`: the English model knows at least one of the candidates. */
function setMeaning(
  features: Features,
  { main, english }: BySpace<Similarities>,
  amongEnglish: boolean,
): void {
  if (english === undefined) {
    features[PLACES.views_centroid] = main.viewsCentroid;
    features[PLACES.not_english] = amongEnglish ? 1 : 0;
    return;
  }
  features[PLACES.beside_centroid] = main.viewsCentroid;
  features[PLACES.english_centroid] = english.centroid;
  features[PLACES.english_views_centroid] = english.viewsCentroid;
}

/** How the fields of a schema and those of a payload go together, each 0..1. */
export interface Fit {
  /** Share of the required fields that are there. */
  readonly present: number;
  /** Share of the sent fields that are known, with a value of a fitting type. */
  readonly valid: number;
}

/** A schema that names no field neither fits nor fails to. */
const NOTHING_TO_FIT: Fit = { present: 0, valid: 0 };

export function fitOf(fields: ReadonlyMap<string, PayloadField>, payload: PayloadShape): Fit {
  if (fields.size === 0) return NOTHING_TO_FIT;
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
  return {
    // A schema that requires nothing is no evidence for this payload unless it knows some of it.
    present: required === 0 ? share(known, payload.size) : share(present, required),
    valid: share(valid, payload.size),
  };
}

/**
 * All signals of one candidate. `fit`: that of its schema, where a payload was sent. `amongEnglish`: the English model
 * knows at least one of the candidates.
 */
export function featuresOf(
  { similarities, matches }: RetrievedCapability,
  fit: Fit | undefined,
  amongEnglish: boolean,
): Features {
  const features = noFeatures();
  setMeaning(features, similarities, amongEnglish);
  features[PLACES.lexical] = matches.words;
  features[PLACES.lexical_fields] = matches.fieldWords;
  if (fit === undefined) return features;
  features[PLACES.fields_evidence] = matches.fieldsEvidence;
  features[PLACES.required_present] = fit.present;
  features[PLACES.all_fit] = fit.valid === 1 && fit.present === 1 ? 1 : 0;
  return features;
}

/** How well the payload fits, 0..1; null where none was sent. */
export function coverageOf({ matches }: RetrievedCapability, fit: Fit | undefined): number | null {
  return fit === undefined ? null : (matches.fields + fit.present + fit.valid) / 3;
}
