import { describe } from '../errors.js';
import { pointerStep } from '../wire/json-pointer.js';
import { valuesIn } from '../wire/value-count.js';
import { findDocumentFaults } from './document-faults.js';
import { ManifestFaults } from './manifest-faults.js';
import { CompiledSchemas, type PayloadValidators } from './payload-validators.js';
import { type ByteCount, NotPlain, plainCopy } from './plain-json.js';
import { MANIFEST_LIMITS, type Manifest, type ManifestDocument } from './schema.js';
import { findCompileFaults, findPatternFaults } from './schema-faults.js';
import { slices } from './slices.js';
import { withDefaults } from './with-defaults.js';

/** The version of a document that names none, until whoever keeps versions gives it one. */
const FIRST_VERSION = 1;

export interface ParsedManifest {
  readonly manifest: Manifest;
  /** A copy of what was given; unknown fields are kept. */
  readonly document: ManifestDocument;
  readonly validators: PayloadValidators;
}

/** The given document as plain JSON, copied in slices: it can have 8 MB. */
async function copyOf(given: unknown): Promise<object> {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new NotPlain('', 'a manifest: an object', describe(given));
  }
  const { values } = MANIFEST_LIMITS;
  if (valuesIn(given, values) >= values) throw new NotPlain('', `fewer than ${values} values`, 'more');
  const pause = slices();
  const size: ByteCount = { bytes: 0 };
  const { capabilities, ...frame } = given as Partial<Record<'capabilities', unknown>>;
  const copy = plainCopy(frame, '', 1, size) as Record<string, unknown>;
  if (!Array.isArray(capabilities)) {
    return { ...copy, ...(plainCopy({ capabilities }, '', 1, size) as object) };
  }
  const copies: unknown[] = [];
  for (const [index, capability] of capabilities.entries()) {
    copies.push(plainCopy(capability, `/capabilities${pointerStep(index)}`, 3, size));
    await pause();
  }
  return { ...copy, capabilities: copies };
}

async function plainDocument(given: unknown, faults: ManifestFaults): Promise<object> {
  try {
    return await copyOf(given);
  } catch (thrown) {
    if (!(thrown instanceof NotPlain)) throw thrown;
    faults.add([thrown.fault]);
    faults.refuse();
    throw thrown;
  }
}

function validatorsOf(manifest: Manifest): CompiledSchemas {
  return new CompiledSchemas(new Map(manifest.capabilities.map(({ id, inputSchema }) => [id, inputSchema])));
}

/**
 * Checks a document that someone wants to publish, cheap checks before dear ones, and compiles its schemas. The
 * event loop is let go at least every few milliseconds. A `manifest_version` that is missing counts as 1.
 * @throws ReachError MANIFEST_INVALID with all faults that the first failing stage found, at most 50: the form
 * of the manifest with the limits of its schemas, then slow patterns, then schemas that do not compile.
 */
export async function parseManifest(given: unknown): Promise<ParsedManifest> {
  const faults = new ManifestFaults();
  const plain = await plainDocument(given, faults);
  await findDocumentFaults(plain, faults);
  faults.refuse();
  const document = plain as ManifestDocument;
  const manifest = withDefaults(document, FIRST_VERSION);
  await findPatternFaults(manifest, faults);
  faults.refuse();
  const validators = validatorsOf(manifest);
  await findCompileFaults(manifest, validators, faults);
  faults.refuse();
  return { manifest, document, validators };
}

/** A manifest from a document that was parsed before it was stored. Cheap: schemas are compiled on first use. */
export function restoreManifest(document: ManifestDocument): ParsedManifest {
  const manifest = withDefaults(document, FIRST_VERSION);
  return { manifest, document, validators: validatorsOf(manifest) };
}
