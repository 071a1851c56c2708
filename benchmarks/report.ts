import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { replaceBlock } from '../docs/generate/marked-block.js';
import { benchNames } from './support/find-bench.js';
import { type BenchResult, markdownTable } from './support/result.js';

const PAGE = new URL('./README.md', import.meta.url);
const BENCH = fileURLToPath(new URL('./bench.ts', import.meta.url));

/** Runs a benchmark in a process of its own: what one leaves behind must not slow the next. */
function runBench(name: string): Promise<BenchResult> {
  return new Promise((resolve, reject) => {
    const args = [...process.execArgv, BENCH, name, '--json'];
    execFile(process.execPath, args, { maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      const lastLine = stdout.trimEnd().split('\n').at(-1) ?? '';
      if (error === null) resolve(JSON.parse(lastLine));
      else reject(new Error(`Benchmark ${name} failed.\n${stdout}${stderr}`, { cause: error }));
    });
  });
}

function section(result: BenchResult): string {
  const { cpu, cores, memory_gb, node, platform } = result.machine;
  return [
    `\`npm run -s bench -- ${result.bench}\` on ${cpu}, ${cores} cores, ${memory_gb} GB, ${platform}, Node ${node}:`,
    markdownTable(result),
  ].join('\n\n');
}

const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : benchNames()) {
  process.stdout.write(`${name} ...\n`);
  const result = await runBench(name);
  writeFileSync(PAGE, replaceBlock(readFileSync(PAGE, 'utf8'), name, section(result)));
}
