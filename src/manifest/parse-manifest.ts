import { describe } from '../errors.js';
import { isObject } from '../wire/json-object.js';
import { pointerStep } from '../wire/json-pointer.js';
import { valuesIn } from '../wire/value-count.js';
import { findDocumentFaults } from './document-faults.js';
import { ManifestFieldErrors } from './manifest-field-errors.js';
import { ManifestValidators, type PayloadValidators } from './payload-validators.js';
import { type ByteCount, deepFrozen, NotPlain, plainCopy } from './plain-json.js';
import { MANIFEST_LIMITS, type Manifest, type ManifestDocument } from './schema.js';
import { findCompileFaults, findPatternFaults } from './schema-faults.js';
import { slices } from './slices.js';
import { withDefaults } from './with-defaults.js';

/** The version of a document that names none, until whoever keeps versions gives it one. */
const FIRST_VERSION = 1;

/** A manifest whose form is checked, but not yet whether its schemas can be used. */
export interface ManifestForm {
  readonly manifest: Manifest;
  /** A copy of what was given, deeply frozen; unknown fields are kept. */
  readonly document: ManifestDocument;
}

export interface ParsedManifest extends ManifestForm {
  readonly validators: PayloadValidators;
}

/** The given document as plain JSON, copied in slices: it can have 8 MB. */
async function copyOf(given: unknown): Promise<object> {
  if (!isObject(given)) throw new NotPlain('', 'a manifest: an object', describe(given));
  const { values } = MANIFEST_LIMITS;
  if (valuesIn(given, values) >= values) throw new NotPlain('', `fewer than ${values} values`, 'more');
  const pause = slices();
  const size: ByteCount = { bytes: 0 };
  const { capabilities, ...frame } = given;
  const copy = plainCopy(frame, '', 1, size) as Record<string, unknown>;
  if (!Array.isArray(capabilities)) {
    return Object.freeze({ ...copy, ...(plainCopy({ capabilities }, '', 1, size) as object) });
  }
  const copies: unknown[] = [];
  for (const [index, capability] of capabilities.entries()) {
    copies.push(plainCopy(capability, `/capabilities${pointerStep(index)}`, 3, size));
    await pause();
  }
  return Object.freeze({ ...copy, capabilities: Object.freeze(copies) });
}

async function plainDocument(given: unknown, faults: ManifestFieldErrors): Promise<object> {
  try {
    return await copyOf(given);
  } catch (thrown) {
    if (!(thrown instanceof NotPlain)) throw thrown;
    faults.add([thrown.fault]);
    faults.refuse();
    throw thrown;
  }
}

async function formOf(given: unknown, faults: ManifestFieldErrors): Promise<ManifestForm> {
  const plain = await plainDocument(given, faults);
  await findDocumentFaults(plain, faults);
  faults.refuse();
  const document = plain as ManifestDocument;
  return { manifest: withDefaults(document, FIRST_VERSION), document };
}

/**
 * The first stage of parseManifest alone, which takes milliseconds where the whole may take seconds.
 * @throws ReachError MANIFEST_INVALID
 */
export function parseManifestForm(given: unknown): Promise<ManifestForm> {
  return formOf(given, new ManifestFieldErrors());
}

/**
 * Checks a document that someone wants to publish, cheap checks before dear ones, and compiles its schemas. The
 * event loop is let go at least every few milliseconds. A `manifest_version` that is missing counts as 1.
 * @throws ReachError MANIFEST_INVALID with all faults that the first failing stage found, at most 50: the form
 * of the manifest with the limits of its schemas, then slow patterns, then schemas that do not compile.
 */
export async function parseManifest(given: unknown): Promise<ParsedManifest> {
  const faults = new ManifestFieldErrors();
  const { manifest, document } = await formOf(given, faults);
  await findPatternFaults(manifest, faults);
  faults.refuse();
  const validators = new ManifestValidators(manifest);
  await findCompileFaults(manifest, validators.inputs, faults);
  faults.refuse();
  return { manifest, document, validators };
}

/**
 * A manifest from a document that was parsed before it was stored, and which is frozen here. Cheap: schemas are
 * compiled on first use.
 */
export function restoreManifest(stored: ManifestDocument): ParsedManifest {
  const document = deepFrozen(stored);
  const manifest = withDefaults(document, FIRST_VERSION);
  return { manifest, document, validators: new ManifestValidators(manifest) };
}
