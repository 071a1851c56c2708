import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { builtEntry } from '../../src/built-entry.js';

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs `agent-reach` with these arguments as a process of its own, to its end. */
export async function runAgentReach(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ended> {
  const child = spawn(process.execPath, [builtEntry('main.js'), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    text.stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    text.stderr += chunk.toString();
  });
  const [code] = await once(child, 'close');
  return { code, ...text };
}
