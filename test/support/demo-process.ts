import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtEntry } from '../../src/built-entry.js';
import { SAMPLE_PROGRAMS } from '../../src/demo/sample-programs.js';
import { freePort } from './free-port.js';

const MANIFESTS = fileURLToPath(new URL('../../manifests/', import.meta.url));
const ADDRESS = /http:\/\/127\.0\.0\.1:96\d\d/g;

/** The shipped manifests in a folder of their own, each agent on a port that is free. */
export async function copyManifests(folder: string): Promise<void> {
  for (const file of await readdir(MANIFESTS)) {
    // Whoever tries the demo may have saved others beside the shipped ones.
    if (!SAMPLE_PROGRAMS.has(file.replace(/\.[a-z]+$/, ''))) continue;
    const text = await readFile(join(MANIFESTS, file), 'utf8');
    const ports = await Promise.all([...text.matchAll(ADDRESS)].map(freePort));
    await writeFile(
      join(folder, file),
      text.replace(ADDRESS, () => `http://127.0.0.1:${ports.shift()}`),
    );
  }
}

export interface DemoProcess {
  readonly url: string;
  readonly manifests: string;
  readonly process: ChildProcess;
  /** What it printed so far, both streams. */
  output(): string;
  /** Sends SIGTERM and gives the exit code back. */
  stop(): Promise<number | null>;
}

/** `agent-reach demo` as a process of its own, on free ports and with an empty store. Resolves when it is ready. */
export async function startDemo(): Promise<DemoProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'reach-demo-'));
  const manifests = await mkdtemp(join(tmpdir(), 'reach-manifests-'));
  await copyManifests(manifests);
  const args = ['demo', '--port', '0', '--data', folder, '--manifests', manifests];
  const child = spawn(process.execPath, [builtEntry('main.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const exited = once(child, 'exit');
  const url = await new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const [, found] = /is ready on (http:\S+)/.exec(output) ?? [];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', () => reject(new Error(`the demo ended before it was ready:\n${output}`)));
  });
  return {
    url,
    manifests,
    process: child,
    output: () => output,
    async stop() {
      child.kill('SIGTERM');
      const [code] = await exited;
      await rm(folder, { recursive: true });
      await rm(manifests, { recursive: true });
      return code;
    },
  };
}
