import { Type } from 'typebox';
import { describe, type FieldError } from '../errors.js';
import { addressFaults } from '../net/address-guard.js';
import { checkOf } from '../wire/check.js';
import type { ManifestFieldErrors } from './manifest-field-errors.js';
import { CapabilitySchema, MANIFEST_LIMITS, type ManifestDocument, ManifestSchema } from './schema.js';
import { schemaLimitFaults } from './schema-limits.js';
import { slices } from './slices.js';

/** The manifest around its capabilities, which are checked one by one. */
const checkFrame = checkOf(
  Type.Object({
    ...ManifestSchema.properties,
    capabilities: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: MANIFEST_LIMITS.capabilities,
    }),
  }),
);
const checkCapability = checkOf(CapabilitySchema);

/** Ids that look the same (equal after NFC) count as the same: a person could not tell which one is meant. */
export function duplicateFaults(ids: readonly unknown[], pointer: (index: number) => string): FieldError[] {
  const seen = new Map<string, number>();
  return ids.flatMap((id, index) => {
    if (typeof id !== 'string') return [];
    const normal = id.normalize('NFC');
    const first = seen.get(normal);
    if (first === undefined) seen.set(normal, index);
    if (first === undefined) return [];
    const received = `${describe(id)}, as in ${pointer(first)}`;
    return [{ pointer: pointer(index), expected: 'an id that is there once', received }];
  });
}

function allAddressFaults({ auth, instances = [] }: ManifestDocument): FieldError[] {
  const token =
    auth?.type === 'oauth2_client_credentials' ? addressFaults(auth.token_url, '/auth/token_url') : [];
  return [
    ...token,
    ...instances.flatMap(({ address }, index) => addressFaults(address, `/instances/${index}/address`)),
  ];
}

function capabilityFaults(capability: unknown): readonly FieldError[] {
  const faults = checkCapability(capability);
  if (faults.length > 0) return faults;
  const { input_schema, output_schema } = capability as ManifestDocument['capabilities'][number];
  const within = (schema: typeof input_schema, base: string) =>
    schemaLimitFaults(schema ?? true).map((fault) => ({ ...fault, pointer: base + fault.pointer }));
  return [...within(input_schema, '/input_schema'), ...within(output_schema, '/output_schema')];
}

/** Everything that can be told without compiling a schema or running a pattern check, cheapest first. */
export async function findDocumentFaults(document: object, faults: ManifestFieldErrors): Promise<void> {
  const pause = slices();
  const frameFaults = checkFrame(document);
  faults.add(frameFaults);
  const { capabilities, instances } = document as Partial<ManifestDocument>;
  if (!Array.isArray(capabilities)) return;
  for (const [index, capability] of capabilities.entries()) {
    if (faults.full) return;
    faults.add(capabilityFaults(capability), `/capabilities/${index}`);
    await pause();
  }
  const ids = capabilities.map((capability) => capability?.id);
  faults.add(duplicateFaults(ids, (index) => `/capabilities/${index}/id`));
  if (frameFaults.length > 0) return;
  const instanceIds = (instances ?? []).map((instance) => instance.instance_id);
  faults.add(duplicateFaults(instanceIds, (index) => `/instances/${index}/instance_id`));
  faults.add(allAddressFaults(document as ManifestDocument));
}
