import { ReachError, sentenceOf } from '../errors.js';
import { pointerStep } from '../wire/json-pointer.js';
import { type ManifestForm, parseManifest } from './parse-manifest.js';
import { readDocument } from './read-document.js';
import { MANIFEST_LIMITS } from './schema.js';
import type { LineOf } from './source-lines.js';

/** A fault in a file. `line` counts from 1; `pointer` is '' where the whole file or line is meant. */
export interface FileFault {
  readonly file: string;
  readonly line: number;
  readonly pointer: string;
  readonly message: string;
}

/** A file that holds a manifest. */
export interface ManifestFile extends ManifestForm {
  readonly file: string;
  readonly lineOf: LineOf;
}

export interface CheckedManifests {
  readonly manifests: readonly ManifestFile[];
  /** In the order of the files; none where all of them are manifests, each of another agent. */
  readonly faults: readonly FileFault[];
}

/** The faulty fields of what stands in a file, with the lines where they stand. */
export function fileFaultsOf(
  { errors }: Pick<ReachError, 'errors'>,
  { file, lineOf }: Pick<ManifestFile, 'file' | 'lineOf'>,
) {
  return errors.map(
    (error): FileFault => ({
      file,
      line: lineOf(error.pointer),
      pointer: error.pointer,
      message: sentenceOf([{ ...error, pointer: '' }]),
    }),
  );
}

type Parse = (document: unknown) => Promise<ManifestForm>;

async function checkFile(file: string, parse: Parse): Promise<ManifestFile | readonly FileFault[]> {
  const read = await readDocument(file, MANIFEST_LIMITS.bytes);
  if (read.kind === 'unreadable') return [{ file, line: read.line, pointer: '', message: read.message }];
  const { document: given, lineOf } = read;
  try {
    const { manifest, document } = await parse(given);
    return { file, lineOf, manifest, document };
  } catch (thrown) {
    if (!(thrown instanceof ReachError)) throw thrown;
    return fileFaultsOf(thrown, { file, lineOf });
  }
}

/** Reads manifest files and finds all their faults; also two files of the same agent. */
export async function checkManifests(
  files: readonly string[],
  parse: Parse = parseManifest,
): Promise<CheckedManifests> {
  const faults: FileFault[] = [];
  const byAgent = new Map<string, ManifestFile>();
  for (const file of files) {
    const checked = await checkFile(file, parse);
    if (!('manifest' in checked)) {
      faults.push(...checked);
      continue;
    }
    const { agentName } = checked.manifest;
    const other = byAgent.get(agentName);
    if (other === undefined) {
      byAgent.set(agentName, checked);
    } else {
      const message = `the agent ${agentName} has a manifest already, in ${other.file}`;
      const line = checked.lineOf(pointerStep('agent_name'));
      faults.push({ file, line, pointer: '/agent_name', message });
    }
  }
  return { manifests: [...byAgent.values()], faults };
}

/** A fault as compilers print it: `file:line: pointer: message`. */
export function formatFault({ file, line, pointer, message }: FileFault): string {
  return `${file}:${line}: ${pointer === '' ? '' : `${pointer}: `}${message}`;
}
