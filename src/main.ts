#!/usr/bin/env node
import { createInterface } from 'node:readline/promises';
import { createReach, demo, serve, VERSION } from './app.js';
import { runCli } from './cli/command-line.js';

const onProgress = (line: string) => process.stderr.write(`${line}\n`);

process.exitCode = await runCli(process.argv.slice(2), {
  version: VERSION,
  createReach: (options) => createReach(options),
  serve: (options) => serve(options, { onProgress }),
  demo: (options) => demo(options, { onProgress }),
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
