import { parseArgs } from 'node:util';
import { holds } from './support/figure.js';
import { soak, soakFigures } from './support/soak-figures.js';

const USAGE = 'npm run -s soak -- [--minutes N (10)]';
const SHOWN = 10;

/** The soak for as long as asked: prints what was found, with the first faults; exit code 1 where a promise does not hold. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) {
    process.stderr.write(`Usage: ${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const report = await soak(minutes * 60);
  const figures = soakFigures(report);
  for (const { name, value, unit } of figures) process.stdout.write(`${name}: ${value} ${unit}\n`);
  for (const line of [...report.stale, ...report.failed].slice(0, SHOWN)) process.stdout.write(`${line}\n`);
  if (!figures.every(holds)) process.exitCode = 1;
}

await main();
