import type { PayloadField } from '../manifest/payload-fields.js';
import type { RetrievedCapability } from '../retrieval/capability-index.js';
import { foldFieldName } from '../retrieval/fold.js';

/** The signals from which relevance is made, each in -1..1 (cosines) or 0..1. Weights refer to them by name. */
export const FEATURE_NAMES = [
  'description',
  'name',
  'best_example',
  'centroid',
  'lexical',
  'keys_known',
  'required_present',
  'types_valid',
] as const;
export type FeatureName = (typeof FEATURE_NAMES)[number];
export type Features = Readonly<Record<FeatureName, number>>;

/** Of a capability that was named, not searched for. */
export const NO_FEATURES: Features = Object.freeze({
  description: 0,
  name: 0,
  best_example: 0,
  centroid: 0,
  lexical: 0,
  keys_known: 0,
  required_present: 0,
  types_valid: 0,
});

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

const NO_PAYLOAD = { keys_known: 0, required_present: 0, types_valid: 0 } as const;

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);

function payloadFeatures(fields: ReadonlyMap<string, PayloadField>, payload: PayloadShape) {
  let known = 0;
  let valid = 0;
  for (const [name, types] of payload) {
    const field = fields.get(name);
    if (field === undefined) continue;
    known += 1;
    if (field.types.length === 0 || types.some((type) => field.types.includes(type))) valid += 1;
  }
  const required = [...fields].filter(([, field]) => field.required);
  const present = required.filter(([name]) => payload.has(name)).length;
  return {
    keys_known: share(known, payload.size),
    // A schema that requires nothing is no evidence for this payload unless it knows some of it.
    required_present: required.length === 0 ? share(known, payload.size) : share(present, required.length),
    types_valid: known === 0 ? 0 : share(valid, payload.size),
  };
}

/** All signals of one candidate. Payload signals are 0 where no payload was sent. */
export function featuresOf(retrieved: RetrievedCapability, payload: PayloadShape | undefined): Features {
  const { indexed, similarities, lexical } = retrieved;
  const { name, description, centroid, example } = similarities;
  return {
    description,
    name,
    // Without examples the description stands in, so that a terse team is not punished for what it did not write.
    best_example: example ?? Math.max(description, name),
    centroid,
    lexical,
    ...(payload === undefined ? NO_PAYLOAD : payloadFeatures(indexed.fields, payload)),
  };
}

/** The best cosine of the intent to a text of the capability. */
export function similarityOf(features: Features): number {
  return Math.max(features.description, features.name, features.best_example);
}

/** How well the payload fits, 0..1; null where none was sent. */
export function coverageOf(features: Features, payload: PayloadShape | undefined): number | null {
  if (payload === undefined) return null;
  return (features.keys_known + features.required_present + features.types_valid) / 3;
}
