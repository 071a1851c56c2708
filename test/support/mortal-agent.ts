import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { onTestFinished } from 'vitest';

/** An agent in a process of its own that takes every request and never answers. */
export interface MortalAgent {
  readonly address: string;
  /** Resolves when the next request has come. */
  working(): Promise<unknown>;
  /** Kills the process; resolves when it is gone: until then its socket may still take a connection. */
  kill(): Promise<unknown>;
}

const PROGRAM = `
  const server = require('node:http').createServer(() => process.stdout.write('working\\n'));
  server.listen(0, '127.0.0.1', () => process.stdout.write(server.address().port + '\\n'));`;

export async function mortalAgent(): Promise<MortalAgent> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = await once(child.stdout, 'data');
  return {
    address: `http://127.0.0.1:${String(port).trim()}`,
    working: () => once(child.stdout, 'data'),
    kill() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      return gone;
    },
  };
}
