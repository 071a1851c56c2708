import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
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

export interface ServiceProcess {
  readonly url: string;
  /** Sends the signal; the exit code, or null, once the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>;
}

/** `agent-reach serve` as a process of its own. Resolves when it answers intents; it ends with the test at the latest. */
export async function serviceProcess(
  args: readonly string[],
  whenOver: (end: () => void) => void = onTestFinished,
): Promise<ServiceProcess> {
  const child = spawn(process.execPath, [builtEntry('main.js'), 'serve', ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  whenOver(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /listens on (http:\S+),/.exec(line) ?? [];
    if (url === undefined) continue;
    return {
      url,
      async end(signal) {
        child.kill(signal);
        const [code] = await exited;
        return code;
      },
    };
  }
  throw new Error('the service ended before it was ready');
}
