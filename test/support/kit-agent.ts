import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const PROGRAM = fileURLToPath(new URL('kit-agent.mjs', import.meta.url));

/** An agent of the kit in a process of its own, with the capability `work` `{blockMs?, waitMs?, later?}`. */
export interface KitAgent {
  readonly address: string;
  /** What it has told people so far. */
  readonly lines: readonly string[];
  /** Sends the signal; the exit code and signal once the process is gone. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<[code: number | null, signal: NodeJS.Signals | null]>;
}

/** Resolves when it listens. It is killed at the end, if it is still there: of the running test, or as told. */
export async function kitAgent(
  reach: string,
  agentName: string,
  instanceId: string,
  whenOver: (end: () => void) => void = onTestFinished,
): Promise<KitAgent> {
  const args = [PROGRAM, reach, agentName, instanceId];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  whenOver(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit') as ReturnType<KitAgent['end']>;
  const lines: string[] = [];
  const address = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      lines.push(line);
      const [, found] = /^listening (\S+)$/.exec(line) ?? [];
      if (found !== undefined) resolve(found);
    });
    child.once('exit', () => reject(new Error(`the agent ended before it listened:\n${lines.join('\n')}`)));
  });
  return {
    address,
    lines,
    end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}
