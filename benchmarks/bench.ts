import { parseArgs } from 'node:util';
import { benchNames, loadBench } from './support/find-bench.js';
import { resultOf, textTable } from './support/result.js';

const USAGE = 'npm run -s bench -- NAME [--json]';

/** Runs one benchmark and prints its figures. A promise that does not hold is a result, not an error. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [name, ...more] = positionals;
  const bench = name === undefined || more.length > 0 ? undefined : await loadBench(name);
  if (bench === undefined) {
    process.stderr.write(`Usage: ${USAGE}\nNAME is one of: ${benchNames().join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  process.stdout.write(`${bench.title}\n`);
  const result = await resultOf(bench);
  process.stdout.write(`${textTable(result)}\n`);
  if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`);
}

await main();
