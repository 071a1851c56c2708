import { describe, type FieldError } from '../errors.js';
import { fieldErrorsOf } from '../wire/field-errors.js';
import type { ManifestFieldErrors } from './manifest-field-errors.js';
import { EXPECTED_PATTERN, type PatternVerdict, patternVerdict } from './pattern-verdict.js';
import { PatternWork } from './pattern-work.js';
import type { CompiledSchemas } from './payload-validators.js';
import type { Capability, JsonSchema, Manifest } from './schema.js';
import { compileSchema, schemaErrors } from './schema-compiler.js';
import { partsOf } from './schema-parts.js';
import { slices } from './slices.js';

/** What the patterns of one manifest may cost to check, some hundred ms; what is not decided by then is refused. */
const PATTERN_STEPS = 5_000_000;
/** Work on a trivial payload after which a schema is taken to be made for that. */
const PROBE_VISITS = 20_000;

interface PlacedSchema {
  readonly schema: JsonSchema;
  readonly pointer: string;
}

function schemasOf({ capabilities }: Manifest): readonly PlacedSchema[] {
  return capabilities.flatMap(({ inputSchema, outputSchema }, index) => [
    { schema: inputSchema, pointer: `/capabilities/${index}/input_schema` },
    { schema: outputSchema, pointer: `/capabilities/${index}/output_schema` },
  ]);
}

/** Looks at every pattern of the schemas, each different one once. */
export async function findPatternFaults(manifest: Manifest, faults: ManifestFieldErrors): Promise<void> {
  const pause = slices();
  const work = new PatternWork(PATTERN_STEPS);
  const verdicts = new Map<string, PatternVerdict>();
  for (const { schema, pointer: base } of schemasOf(manifest)) {
    for (const { source, pointer } of partsOf(schema).patterns) {
      if (faults.full) return;
      const verdict = verdicts.get(source) ?? patternVerdict(source, work);
      verdicts.set(source, verdict);
      if (verdict !== 'linear') {
        faults.add([{ pointer, expected: EXPECTED_PATTERN[verdict], received: describe(source) }], base);
      }
      await pause();
    }
  }
}

function compileFault(thrown: unknown): FieldError {
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  return { pointer: '', expected: 'a schema that can be compiled', received: `one that cannot: ${reason}` };
}

const TOO_MUCH_WORK: FieldError = {
  pointer: '',
  expected: 'a schema that judges an empty object with bounded work',
  received: 'one that refers to itself without end, or multiplies its references',
};

/** `judges`: compiles the schema, and tells whether it judges an empty object. */
function faultsOf(schema: JsonSchema, judges: () => boolean): FieldError[] {
  if (typeof schema === 'boolean') return [];
  const errors = schemaErrors(schema);
  if (errors.length > 0) return fieldErrorsOf(errors, schema);
  try {
    return judges() ? [] : [TOO_MUCH_WORK];
  } catch (thrown) {
    return [compileFault(thrown)];
  }
}

function inputFaults({ id, inputSchema }: Capability, validators: CompiledSchemas): FieldError[] {
  return faultsOf(inputSchema, () => validators.canCheck(id));
}

function outputFaults({ outputSchema }: Capability): FieldError[] {
  return faultsOf(
    outputSchema,
    () => typeof compileSchema(outputSchema, 'trial')({}, PROBE_VISITS) !== 'string',
  );
}

/** Compiles every schema: input schemas into `validators`, to be kept, output schemas only to see that they can be. */
export async function findCompileFaults(
  manifest: Manifest,
  validators: CompiledSchemas,
  faults: ManifestFieldErrors,
): Promise<void> {
  const pause = slices();
  for (const [index, capability] of manifest.capabilities.entries()) {
    if (faults.full) return;
    faults.add(inputFaults(capability, validators), `/capabilities/${index}/input_schema`);
    await pause();
    faults.add(outputFaults(capability), `/capabilities/${index}/output_schema`);
    await pause();
  }
}
