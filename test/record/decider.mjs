// Records decisions until it is killed, one after the other, from the number given on. Prints when each was made.
import { systemClock } from '../../dist/clock.js';
import { DecisionRecorder } from '../../dist/record/decision-recorder.js';
import { openStores } from '../../dist/storage/open-stores.js';

const stores = await openStores({ store: null, data: process.argv[2] });
const recorder = new DecisionRecorder({
  store: stores.records,
  team: 't',
  salt: await stores.records.salt('t'),
  clock: systemClock,
  report: (message) => process.stderr.write(`${message}\n`),
});
const decisionOf = (index) => ({
  routeId: `rt_${String(index).padStart(9, '0')}`,
  outcome: 'human',
  targetAgent: null,
  capabilityId: null,
  instanceId: null,
  addrVersion: null,
  confidence: 0,
  threshold: 0.75,
  score: 0,
  candidates: [],
  timingMs: { embed: 0, retrieve: 0, decide: 0, total: 0 },
  catalogueVersion: 1,
  weightsVersion: 'none',
});
for (let index = Number(process.argv[3]); ; index += 1) {
  recorder.decided({ atMs: Date.now(), request: { intent: 'x' }, decision: decisionOf(index) });
  process.stdout.write(`${Date.now()}\n`);
  await new Promise((resolve) => setTimeout(resolve, 1));
}
