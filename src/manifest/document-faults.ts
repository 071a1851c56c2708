import { Ajv } from 'ajv';
import { type TSchema, Type } from 'typebox';
import { describe, type FieldError } from '../errors.js';
import { fieldErrorsOf } from '../wire/field-errors.js';
import type { ManifestFaults } from './manifest-faults.js';
import { CapabilitySchema, MANIFEST_LIMITS, type ManifestDocument, ManifestSchema } from './schema.js';
import { schemaLimitFaults } from './schema-limits.js';
import { slices } from './slices.js';
import { valuesIn } from './value-count.js';

/** A larger part is judged up to its first fault: every fault of it could fill the memory. */
const MAX_VALUES = 50_000;

type Judge = (value: unknown) => readonly FieldError[];

function judgeOf(schema: TSchema): Judge {
  const compile = (allErrors: boolean) =>
    new Ajv({ allErrors, strict: false, verbose: true }).compile(schema);
  const all = compile(true);
  const first = compile(false);
  return (value) => {
    const validate = valuesIn(value, MAX_VALUES) < MAX_VALUES ? all : first;
    return validate(value) ? [] : fieldErrorsOf(validate.errors ?? [], value);
  };
}

/** The manifest around its capabilities, which are judged one by one. */
const judgeFrame = judgeOf(
  Type.Object({
    ...ManifestSchema.properties,
    capabilities: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: MANIFEST_LIMITS.capabilities,
    }),
  }),
);
const judgeCapability = judgeOf(CapabilitySchema);

/** Ids that look the same (equal after NFC) count as the same: a person could not tell which one is meant. */
function duplicateFaults(ids: readonly unknown[], pointer: (index: number) => string): FieldError[] {
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

function addressFaults(address: string, pointer: string): FieldError[] {
  const expected = 'an http or https address without user, password, query and fragment';
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const fits =
    url !== undefined &&
    /^https?:\/\//i.test(address) &&
    [url.username, url.password, url.search, url.hash].every((part) => part === '');
  // Not shown as received: it may hold a password.
  return fits ? [] : [{ pointer, expected, received: 'another address' }];
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
  const faults = judgeCapability(capability);
  if (faults.length > 0) return faults;
  const { input_schema, output_schema } = capability as ManifestDocument['capabilities'][number];
  const within = (schema: typeof input_schema, base: string) =>
    schemaLimitFaults(schema ?? true).map((fault) => ({ ...fault, pointer: base + fault.pointer }));
  return [...within(input_schema, '/input_schema'), ...within(output_schema, '/output_schema')];
}

/** Everything that can be told without compiling a schema or running a pattern check, cheapest first. */
export async function findDocumentFaults(document: object, faults: ManifestFaults): Promise<void> {
  const pause = slices();
  const frameFaults = judgeFrame(document);
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
