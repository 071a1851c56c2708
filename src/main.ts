#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { createReach, demo, serve, VERSION } from './app.js';
import { runCli } from './cli/command-line.js';
import { EXIT } from './cli/exit-codes.js';

/** Exit codes above this are 128 + the number of the signal that ended us. */
const SIGNALLED = 128;
const onProgress = (line: string) => process.stderr.write(`${line}\n`);

// Whoever reads our output may leave early (`agent-reach agents | head`): a command is done then.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(EXIT.done);
});
// A service goes on without anybody who reads its log.
process.stderr.on('error', () => {});

const code = await runCli(process.argv.slice(2), {
  version: VERSION,
  createReach,
  serve: (options, signal) => serve(options, { onProgress, signal }),
  demo: (options, signal) => demo(options, { onProgress, signal }),
  storeTools: () => import('./store-tools.js'),
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  isTTY: process.stdin.isTTY === true,
  ask: async (question) => {
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return await terminal.question(question);
    } finally {
      terminal.close();
    }
  },
  signals: process,
});

// A second signal does not wait for what is still being closed; everything else ends when its work has.
if (code > SIGNALLED) process.exit(code);
process.exitCode = code;
