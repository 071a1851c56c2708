import { describe, type FieldError } from '../errors.js';
import { fieldErrorsOf } from '../wire/field-errors.js';
import type { ManifestFieldErrors } from './manifest-field-errors.js';
import { type CheckingTime, type PatternVerdict, patternChecker } from './pattern-checker.js';
import type { CompiledSchemas } from './payload-validators.js';
import type { Capability, JsonSchema, Manifest } from './schema.js';
import { SchemaCompiler } from './schema-compiler.js';
import { partsOf } from './schema-parts.js';
import { slices } from './slices.js';

/** How long the patterns of one manifest may be checked; what is not decided by then is refused. */
const PATTERNS_MS = 30_000;
/** Work on a trivial payload after which a schema is taken to be made for that. */
const PROBE_VISITS = 20_000;

/**
 * Holds schemas against their dialect, for all manifests: compiling a dialect takes ten milliseconds in one go.
 * Schemas are only data to it, and it keeps none.
 */
const dialects = new SchemaCompiler({ allErrors: true });

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

const EXPECTED: Readonly<Record<Exclude<PatternVerdict, 'safe'>, string>> = {
  slow: 'a pattern that takes linear time on every text',
  undecided: 'a pattern that can be shown in time to be fast on every text',
  invalid: 'a regular expression (ECMAScript, with the flag u)',
};

/** Looks at every pattern of the schemas, each different one once. */
export async function findPatternFaults(manifest: Manifest, faults: ManifestFieldErrors): Promise<void> {
  const pause = slices();
  const time: CheckingTime = { leftMs: PATTERNS_MS };
  for (const { schema, pointer: base } of schemasOf(manifest)) {
    for (const { source, pointer } of partsOf(schema).patterns) {
      if (faults.full) return;
      const verdict = await patternChecker.check(source, time);
      if (verdict !== 'safe') {
        faults.add([{ pointer, expected: EXPECTED[verdict], received: describe(source) }], base);
      }
    }
    await pause();
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

function inputFaults({ id, inputSchema }: Capability, validators: CompiledSchemas): FieldError[] {
  const errors = dialects.schemaErrors(inputSchema);
  if (errors.length > 0) return fieldErrorsOf(errors, inputSchema);
  try {
    return validators.canCheck(id) ? [] : [TOO_MUCH_WORK];
  } catch (thrown) {
    return [compileFault(thrown)];
  }
}

function outputFaults({ outputSchema }: Capability, outputs: SchemaCompiler): FieldError[] {
  const errors = dialects.schemaErrors(outputSchema);
  if (errors.length > 0) return fieldErrorsOf(errors, outputSchema);
  try {
    return outputs.compile(outputSchema)({}, PROBE_VISITS) === 'too much work' ? [TOO_MUCH_WORK] : [];
  } catch (thrown) {
    return [compileFault(thrown)];
  }
}

/** Compiles every schema: input schemas into `validators`, to be kept, output schemas only to see that they can be. */
export async function findCompileFaults(
  manifest: Manifest,
  validators: CompiledSchemas,
  faults: ManifestFieldErrors,
): Promise<void> {
  const pause = slices();
  const outputs = new SchemaCompiler({ allErrors: true });
  for (const [index, capability] of manifest.capabilities.entries()) {
    if (faults.full) return;
    faults.add(inputFaults(capability, validators), `/capabilities/${index}/input_schema`);
    await pause();
    faults.add(outputFaults(capability, outputs), `/capabilities/${index}/output_schema`);
    await pause();
  }
}
