import { EventEmitter } from 'node:events';
import type { CliServices } from '../../src/cli/cli-services.js';
import { runCli } from '../../src/cli/command-line.js';
import { exportStore, importStore, migrateStore } from '../../src/store-tools.js';
import { standInReach } from '../support/stand-in-reach.js';

interface Outcome {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one command line in this process with everything that it wrote. */
export async function captured(
  argv: readonly string[],
  changes: Partial<CliServices> = {},
): Promise<Outcome> {
  const out: string[] = [];
  const err: string[] = [];
  const running = async () => ({ address: 'http://127.0.0.1:8080', close: async () => {} });
  const code = await runCli(argv, {
    version: '0.1.0',
    createReach: async () => standInReach(),
    serve: running,
    demo: running,
    storeTools: async () => ({ exportStore, importStore, migrateStore }),
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => err.push(text) },
    env: {},
    isTTY: false,
    ask: async () => '',
    signals: new EventEmitter(),
    ...changes,
  });
  return { code, out: out.join(''), err: err.join('') };
}
