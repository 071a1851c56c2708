import { open } from 'node:fs/promises';
import { extname } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { JsonFault, jsonEntries } from '../wire/json-entries.js';
import { pointerStep } from '../wire/json-pointer.js';
import { placeOf } from '../wire/text-place.js';
import { jsonLines, type LineOf, yamlLines } from './source-lines.js';

/** What stands in a file; not checked yet to be what it should be. */
export type DocumentText =
  | { readonly kind: 'document'; readonly document: unknown; readonly lineOf: LineOf }
  | { readonly kind: 'unreadable'; readonly line: number; readonly message: string };

/** How often YAML aliases may be followed, their nesting multiplied. */
const MAX_ALIASES = 100;

const FORMATS: Readonly<Record<string, (text: string) => DocumentText>> = {
  '.json': readJson,
  '.yaml': readYaml,
  '.yml': readYaml,
};

function unreadable(line: number, message: string): DocumentText {
  return { kind: 'unreadable', line, message };
}

function readJson(text: string): DocumentText {
  try {
    for (const { repeated, key, offset } of jsonEntries(text)) {
      if (repeated) return unreadable(placeOf(text, offset).line, `${pointerStep(key)} is there twice`);
    }
    return { kind: 'document', document: JSON.parse(text), lineOf: jsonLines(text) };
  } catch (thrown) {
    if (!(thrown instanceof JsonFault)) throw thrown;
    const { offset, expected = 'nothing more', found = 'the end' } = thrown;
    return unreadable(placeOf(text, offset).line, `not JSON: expected ${expected}, received ${found}`);
  }
}

function readYaml(text: string): DocumentText {
  const counter = new LineCounter();
  try {
    const parsed = parseDocument(text, { lineCounter: counter, merge: true, prettyErrors: false });
    // A warning (a tag that is not known, for example) means that something else is read than was written.
    const [fault] = [...parsed.errors, ...parsed.warnings];
    if (fault !== undefined) {
      return unreadable(Math.max(1, counter.linePos(fault.pos[0]).line), `not YAML: ${fault.message}`);
    }
    // Whoever writes a file anew empties it first.
    if (parsed.contents === null) return unreadable(1, 'not YAML: it is empty');
    const document: unknown = parsed.toJS({ maxAliasCount: MAX_ALIASES });
    return { kind: 'document', document, lineOf: yamlLines(parsed, counter) };
  } catch (thrown) {
    return unreadable(1, `not YAML: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** True for the name of a file that can be read as a document. */
export function isDocumentFile(name: string): boolean {
  return extname(name).toLowerCase() in FORMATS;
}

/** The document in the bytes of a file; its name tells the format. */
export function readDocumentText(name: string, bytes: Uint8Array, maxBytes: number): DocumentText {
  const read = FORMATS[extname(name).toLowerCase()];
  if (read === undefined) return unreadable(1, 'not a .json, .yaml or .yml file');
  if (bytes.length > maxBytes) return unreadable(1, `larger than ${maxBytes} bytes`);
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return unreadable(1, 'not UTF-8');
  }
  return read(text);
}

/**
 * The bytes of a file, one more than is allowed of a larger one: enough to see that it is too large.
 * @throws the error of the file system.
 */
export async function readDocumentBytes(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const stat = await file.stat();
    if (!stat.isFile()) throw new Error(`${path} is not a file`);
    if (stat.size > maxBytes) return new Uint8Array(maxBytes + 1);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Reads a file. Nothing is thrown: what cannot be read says why, and where. */
export async function readDocument(path: string, maxBytes: number): Promise<DocumentText> {
  try {
    return readDocumentText(path, await readDocumentBytes(path, maxBytes), maxBytes);
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return unreadable(1, code === 'ENOENT' ? 'there is no such file' : message);
  }
}
