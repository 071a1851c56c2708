// Takes asynchronous requests and has them carried out by the agent at an address, until it is killed or all have
// ended. Prints the id of each that was accepted, and then when all have ended.
import { systemClock } from '../../dist/clock.js';
import { NOBODY_ELSE } from '../../dist/cluster/message-bus.js';
import { ALL_OURS } from '../../dist/cluster/shares.js';
import { Lifecycle } from '../../dist/lifecycle.js';
import { openRequests } from '../../dist/requests/open-requests.js';
import { openStores } from '../../dist/storage/open-stores.js';
import { begun, nothing } from './begun.mjs';

const [folder, agent, count] = process.argv.slice(2);
const stores = await openStores({ store: null, data: folder });
const lifecycle = new Lifecycle((part, error) => process.stderr.write(`${part}: ${error}\n`));

async function carryOut(request, life) {
  const { requestId } = life;
  await begun(request, life);
  const response = await fetch(`${agent}${requestId}`, { method: 'POST' });
  return { requestId, state: 'completed', result: await response.json(), ...nothing };
}

const replicaId = `asker/${process.pid}`;
const requests = await openRequests({
  cluster: { replicaId, bus: NOBODY_ELSE, shares: ALL_OURS, isLiving: (id) => id === replicaId },
  carryOut,
  stores,
  seekBudgetMs: () => 60_000,
  callbacks: undefined,
  publicUrl: () => undefined,
  team: 't',
  clock: systemClock,
  lifecycle,
  report: (message) => process.stderr.write(`${message}\n`),
});
await requests.start();
const ask = async (index) => {
  const payload = { idempotent: index % 2 === 0 };
  const { requestId } = await requests.desk.dispatchLater({ requestId: `r-${index}`, payload }, {});
  process.stdout.write(`${requestId}\n`);
};
await Promise.all(Array.from({ length: Number(count) }, (_, index) => ask(index)));
while ((await stores.requests.unfinished('t')).length > 0) {
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await lifecycle.close();
await stores.close();
process.stdout.write('all have ended\n');
