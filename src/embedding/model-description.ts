import { type Static, Type } from 'typebox';
import { describe, type FieldError, ReachError, sentenceOf } from '../errors.js';
import { AnyName } from '../wire/any-name.js';
import { checkOf } from '../wire/check.js';
import { type Camel, codecOf } from '../wire/codec.js';
import { pointerStep, valueAt } from '../wire/json-pointer.js';

/** The name of the file that makes a folder a model. */
export const DESCRIPTION_FILE = 'reach.json';

/** The formats of weights that can be loaded, and the end of their ONNX file's name. */
const WEIGHT_SUFFIXES: Readonly<Record<string, string>> = {
  q8: '_quantized',
  fp32: '',
  fp16: '_fp16',
  q4: '_q4',
};

const CHECKSUM = 'a SHA-256 in lower-case hex';

const fields = {
  name: Type.String({ minLength: 1 }),
  dim: Type.Integer({ minimum: 1, maximum: 65_536 }),
  /** How token vectors become one: their mean, or the first token's. The result is always made a unit vector. */
  pooling: Type.Enum(['mean', 'cls']),
  /** What is put before a text. */
  prefix: Type.Object({ query: Type.String(), passage: Type.String() }),
  /** The model's window, in tokens, prefix and special tokens included. */
  max_tokens: Type.Integer({ minimum: 8, maximum: 1_048_576 }),
  dtype: Type.Enum(Object.keys(WEIGHT_SUFFIXES)),
  /** False: a text's vector depends on its neighbours in a batch, so it is run alone. */
  batch_invariant: Type.Boolean(),
  /** SHA-256, hex, by path relative to the folder. */
  files: Type.Record(AnyName, Type.String({ pattern: '^[0-9a-f]{64}$', description: CHECKSUM })),
};
const DescriptionSchema = Type.Object(fields);
type DescriptionWire = Static<typeof DescriptionSchema>;
const codec = codecOf<typeof DescriptionSchema, DescriptionWire>(DescriptionSchema);

// Everything that compares vectors expects unit vectors.
const check = checkOf(Type.Object({ ...fields, normalize: Type.Literal(true) }));

/** What a model's `reach.json` says, in code form. */
export type ModelDescription = Readonly<Camel<DescriptionWire>>;
export type Pooling = ModelDescription['pooling'];

/** The files that are loaded, and so must be listed. */
export function filesToLoad(dtype: string): string[] {
  return [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    `onnx/model${WEIGHT_SUFFIXES[dtype]}.onnx`,
  ];
}

/** Relative, with forward slashes, and never up. */
const INNER_PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^/\\:]+(?:\/[^/\\:]+)*$/;

/** What a schema cannot say of the list of files. */
function fileErrors({ files, dtype }: DescriptionWire): FieldError[] {
  const pointerOf = (path: string) => `/files${pointerStep(path)}`;
  const outside = Object.keys(files).filter((path) => !INNER_PATH.test(path));
  const missing = filesToLoad(dtype).filter((path) => !Object.hasOwn(files, path));
  return [
    ...outside.map((path) => ({
      pointer: pointerOf(path),
      expected: 'a path inside the folder',
      received: describe(path),
    })),
    ...missing.map((path) => ({ pointer: pointerOf(path), expected: CHECKSUM, received: 'nothing' })),
  ];
}

/**
 * Reads the text of a `reach.json`; `where` names the file in sentences.
 * @throws ReachError MODEL_INVALID where it is no JSON, of another format, or a field is missing or wrong.
 */
export function parseModelDescription(source: string, where: string): ModelDescription {
  let document: unknown;
  try {
    document = JSON.parse(source);
  } catch (cause) {
    throw new ReachError('MODEL_INVALID', `${where} is not valid JSON.`, { cause });
  }
  const format = valueAt(document, '/format');
  if (format !== 1) {
    const received = describe(format);
    throw new ReachError('MODEL_INVALID', `${where} must be of format 1, but its format is ${received}.`, {
      errors: [{ pointer: '/format', expected: '1', received }],
    });
  }
  const faults = check(document);
  const errors = faults.length > 0 ? faults : fileErrors(document as DescriptionWire);
  if (errors.length > 0) {
    throw new ReachError('MODEL_INVALID', `${where} is not valid: ${sentenceOf(errors)}.`, { errors });
  }
  return codec.decode(document as DescriptionWire);
}

/** The text of the `reach.json` that says this; `source` is where the model came from. */
export function formatModelDescription(description: ModelDescription, source: string): string {
  const document = { format: 1, source, normalize: true, ...codec.encode(description) };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
