import { ReachError, sentenceOf } from '../errors.js';
import { pointerStep } from '../wire/json-pointer.js';
import { parseManifest } from './parse-manifest.js';
import { readManifestFile } from './read-manifest-file.js';

/** A fault in a manifest file. `line` counts from 1; `pointer` is '' where the whole file is meant. */
export interface FileFault {
  readonly file: string;
  readonly line: number;
  readonly pointer: string;
  readonly message: string;
}

interface CheckedFile {
  readonly faults: readonly FileFault[];
  /** The agent's name and its line, where the file is a manifest. */
  readonly agent: { readonly name: string; readonly line: number } | undefined;
}

async function checkFile(file: string): Promise<CheckedFile> {
  const read = await readManifestFile(file);
  if (read.kind === 'unreadable') {
    return { faults: [{ file, line: read.line, pointer: '', message: read.message }], agent: undefined };
  }
  try {
    const { manifest } = await parseManifest(read.document);
    return { faults: [], agent: { name: manifest.agentName, line: read.lineOf(pointerStep('agent_name')) } };
  } catch (thrown) {
    if (!(thrown instanceof ReachError)) throw thrown;
    const faults = thrown.errors.map((error) => ({
      file,
      line: read.lineOf(error.pointer),
      pointer: error.pointer,
      message: sentenceOf([{ ...error, pointer: '' }]),
    }));
    return { faults, agent: undefined };
  }
}

/** All faults of manifest files, in the order of the files; also two files of the same agent. */
export async function checkManifests(files: readonly string[]): Promise<readonly FileFault[]> {
  const faults: FileFault[] = [];
  const fileOf = new Map<string, string>();
  for (const file of files) {
    const { faults: found, agent } = await checkFile(file);
    faults.push(...found);
    if (agent === undefined) continue;
    const other = fileOf.get(agent.name);
    if (other !== undefined) {
      const message = `the agent ${agent.name} has a manifest already, in ${other}`;
      faults.push({ file, line: agent.line, pointer: '/agent_name', message });
    }
    fileOf.set(agent.name, other ?? file);
  }
  return faults;
}

/** A fault as compilers print it: `file:line: pointer: message`. */
export function formatFault({ file, line, pointer, message }: FileFault): string {
  return `${file}:${line}: ${pointer === '' ? '' : `${pointer}: `}${message}`;
}
