import { describe, type FieldError, ReachError, sentenceOf } from '../errors.js';
import type { TextKind } from './embedder.js';

/** The name of the file that makes a folder a model. */
export const DESCRIPTION_FILE = 'reach.json';

/** The formats of weights that can be loaded, and the end of their ONNX file's name. */
const WEIGHT_SUFFIXES: Readonly<Record<string, string>> = {
  q8: '_quantized',
  fp32: '',
  fp16: '_fp16',
  q4: '_q4',
};

export type Pooling = 'mean' | 'cls';

/** What a model's `reach.json` says, in code form. */
export interface ModelDescription {
  readonly name: string;
  readonly dim: number;
  /** How token vectors become one: their mean, or the first token's. The result is always made a unit vector. */
  readonly pooling: Pooling;
  /** What is put before a text. */
  readonly prefix: Readonly<Record<TextKind, string>>;
  /** The model's window, in tokens, prefix and special tokens included. */
  readonly maxTokens: number;
  readonly dtype: string;
  /** False: a text's vector depends on its neighbours in a batch, so it is run alone. */
  readonly batchInvariant: boolean;
  /** SHA-256, hex, by path relative to the folder. */
  readonly files: Readonly<Record<string, string>>;
}

/** The files that are loaded, and so must be listed. */
export function filesToLoad(dtype: string): string[] {
  return [
    'config.json',
    'tokenizer.json',
    'tokenizer_config.json',
    `onnx/model${WEIGHT_SUFFIXES[dtype]}.onnx`,
  ];
}

interface Check {
  readonly expected: string;
  readonly holds: (value: unknown) => boolean;
}

const wholeFrom = (least: number, most: number): Check => ({
  expected: `a whole number from ${least} to ${most}`,
  holds: (v) => Number.isInteger(v) && (v as number) >= least && (v as number) <= most,
});
const text: Check = { expected: 'a string', holds: (v) => typeof v === 'string' };
const oneOf = (...values: readonly unknown[]): Check => ({
  expected: values.map((value) => JSON.stringify(value)).join(' or '),
  holds: (v) => values.includes(v),
});

const CHECKS: Readonly<Record<string, Check>> = {
  '/name': { expected: 'a non-empty string', holds: (v) => typeof v === 'string' && v !== '' },
  '/dim': wholeFrom(1, 65_536),
  '/pooling': oneOf('mean', 'cls'),
  // Everything that compares vectors expects unit vectors.
  '/normalize': oneOf(true),
  '/prefix/query': text,
  '/prefix/passage': text,
  '/max_tokens': wholeFrom(8, 1_048_576),
  '/dtype': oneOf(...Object.keys(WEIGHT_SUFFIXES)),
  '/batch_invariant': oneOf(true, false),
};

const CHECKSUM = /^[0-9a-f]{64}$/;
/** Relative, with forward slashes, and never up. */
const INNER_PATH = /^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[^/\\:]+(?:\/[^/\\:]+)*$/;

function at(document: unknown, pointer: string): unknown {
  let value = document;
  for (const key of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function checkFiles(document: unknown): FieldError[] {
  const files = at(document, '/files');
  if (typeof files !== 'object' || files === null || Array.isArray(files)) {
    return [{ pointer: '/files', expected: 'an object of paths and SHA-256', received: describe(files) }];
  }
  const errors: FieldError[] = [];
  for (const [path, checksum] of Object.entries(files)) {
    const pointer = `/files/${path.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    if (!INNER_PATH.test(path)) {
      errors.push({ pointer, expected: 'a path inside the folder', received: describe(path) });
    } else if (typeof checksum !== 'string' || !CHECKSUM.test(checksum)) {
      errors.push({ pointer, expected: 'a SHA-256 in lower-case hex', received: describe(checksum) });
    }
  }
  const dtype = at(document, '/dtype');
  if (typeof dtype !== 'string' || !Object.hasOwn(WEIGHT_SUFFIXES, dtype)) return errors;
  for (const path of filesToLoad(dtype)) {
    if (Object.hasOwn(files, path)) continue;
    const pointer = `/files/${path.replaceAll('/', '~1')}`;
    errors.push({ pointer, expected: 'a SHA-256 in lower-case hex', received: 'nothing' });
  }
  return errors;
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
  const format = at(document, '/format');
  if (format !== 1) {
    const received = describe(format);
    throw new ReachError('MODEL_INVALID', `${where} must be of format 1, but its format is ${received}.`, {
      errors: [{ pointer: '/format', expected: '1', received }],
    });
  }
  const errors: FieldError[] = [];
  for (const [pointer, { expected, holds }] of Object.entries(CHECKS)) {
    const value = at(document, pointer);
    if (!holds(value)) errors.push({ pointer, expected, received: describe(value) });
  }
  errors.push(...checkFiles(document));
  if (errors.length > 0) {
    throw new ReachError('MODEL_INVALID', `${where} is not valid: ${sentenceOf(errors)}.`, { errors });
  }
  const field = <T>(pointer: string): T => at(document, pointer) as T;
  return {
    name: field('/name'),
    dim: field('/dim'),
    pooling: field('/pooling'),
    prefix: { query: field('/prefix/query'), passage: field('/prefix/passage') },
    maxTokens: field('/max_tokens'),
    dtype: field('/dtype'),
    batchInvariant: field('/batch_invariant'),
    files: field('/files'),
  };
}

/** The text of the `reach.json` that says this; `source` is where the model came from. */
export function formatModelDescription(description: ModelDescription, source: string): string {
  const { name, dim, pooling, prefix, maxTokens, dtype, batchInvariant, files } = description;
  const document = {
    format: 1,
    name,
    source,
    dim,
    pooling,
    normalize: true,
    prefix,
    max_tokens: maxTokens,
    dtype,
    batch_invariant: batchInvariant,
    files,
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
