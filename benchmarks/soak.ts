import { parseArgs } from 'node:util';
import { withFleetService } from './support/fleet-service.js';
import { freshTexts } from './support/fresh-texts.js';
import { SOAK_AGENTS, SoakRun } from './support/soak-run.js';

const USAGE = 'npm run -s soak -- [--minutes N (10)]';
const INTENTS = 50;
/** Of what the memory was after a fifth of the time. */
const MOST_MEMORY = 1.1;
const SHOWN = 10;

/** Membership that changes all the time under routes, for long: prints what was found; exit code 1 where anything is wrong. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } });
  const minutes = Number(values.minutes);
  if (!(minutes > 0)) {
    process.stderr.write(`Usage: ${USAGE}\n`);
    process.exitCode = 2;
    return;
  }
  const report = await withFleetService(SOAK_AGENTS, (service, fleet) =>
    new SoakRun(service, fleet, freshTexts(INTENTS)).run(minutes * 60),
  );
  const { failed, stale, ...figures } = report;
  process.stdout.write(`${JSON.stringify({ ...figures, failed: failed.length, stale: stale.length })}\n`);
  for (const line of [...stale, ...failed].slice(0, SHOWN)) process.stdout.write(`${line}\n`);
  if (stale.length + failed.length > 0 || report.memoryRatio > MOST_MEMORY) process.exitCode = 1;
}

await main();
