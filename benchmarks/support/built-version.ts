import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A version of the whole project, built. */
export interface BuiltVersion {
  readonly name: string;
  /** Its `dist/main.js`. */
  readonly main: string;
  /** The URL of its kit's entry. */
  readonly kit: string;
}

export type Kit = typeof import('agent-reach-sdk');

function versionIn(folder: string, name: string): BuiltVersion {
  const main = join(folder, 'dist', 'main.js');
  return {
    name,
    main,
    kit: pathToFileURL(join(folder, 'sdk', 'dist', 'index.js')).href,
  };
}

/** What lies in this folder, as the set-up has built it. */
export const presentVersion = (): BuiltVersion => versionIn(ROOT, 'this version');

function run(command: string, args: readonly string[], cwd: string, input?: Buffer): Buffer {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, input, maxBuffer: 2 ** 30 });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${stderr}${stdout}`);
  return stdout;
}

/** Builds a commit of this repository in a folder of its own. @throws Error with what went wrong */
export function buildVersion(commit: string, folder: string): BuiltVersion {
  mkdirSync(folder, { recursive: true });
  run('tar', ['-x'], folder, run('git', ['archive', commit], ROOT));
  run('npm', ['ci', '--loglevel=error'], folder);
  const tsc = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  for (const project of ['sdk', 'src']) run(process.execPath, [tsc, '-p', project], folder);
  return versionIn(folder, commit);
}
