// One of several replicas over a Redis, which has requests carried out by the agent at an address. Does what it is told
// to, a line of JSON each, and answers with a line: {question, result} or {question, code}; events come one by one.
import { createInterface } from 'node:readline';
import { openCluster } from '../../dist/cluster/open-cluster.js';
import { newReplicaId } from '../../dist/cluster/replica-id.js';
import { Lifecycle } from '../../dist/lifecycle.js';
import { openRequests } from '../../dist/requests/open-requests.js';
import { openStores } from '../../dist/storage/open-stores.js';
import { begun, nothing } from './begun.mjs';

const [store, agent] = process.argv.slice(2);
const tell = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const report = (message) => process.stderr.write(`${message}\n`);
const replicaId = newReplicaId();
const stores = await openStores({ store, data: null }, { replicaId, report });
const lifecycle = new Lifecycle((part, error) => report(`${part}: ${error}`));
lifecycle.add('store', () => stores.close());
const shared = { team: 't', clock: stores.clock, lifecycle, report };
const cluster = openCluster({ shared: stores.shared, replicaId, ...shared });

async function carryOut(request, life) {
  const { requestId } = life;
  await begun(request, life);
  const late = life.late(1);
  const signal = new AbortController();
  life.signal.addEventListener('abort', () => signal.abort());
  const body = JSON.stringify({ requestId, replicaId, replyTo: late?.replyTo });
  try {
    const response = await fetch(`${agent}${requestId}`, { method: 'POST', body, signal: signal.signal });
    life.progress({ status: response.status });
    if (response.status !== 202)
      return { requestId, state: 'completed', result: await response.json(), ...nothing };
    life.enter('acknowledged', 1);
    const { result } = await late.answer;
    return { requestId, state: 'completed', result, ...nothing };
  } catch (thrown) {
    if (life.signal.aborted) return { requestId, state: 'cancelled', ...nothing };
    throw thrown;
  }
}

const { desk, inquiries, control, start, counts } = await openRequests({
  carryOut,
  withdraw: () => {},
  stores,
  cluster,
  seekBudgetMs: () => 60_000,
  callbacks: undefined,
  publicUrl: () => 'http://reach.example',
  ...shared,
});
await cluster.start();
await start();
tell({ ready: replicaId });

const does = {
  dispatch: (request) => desk.dispatch(request, {}),
  later: (request) => desk.dispatchLater(request, {}),
  status: (requestId) => inquiries.status(requestId),
  list: (limit) => inquiries.list({ limit }),
  cancel: (requestId) => control.cancel(requestId),
  reply: ([requestId, token, reply]) => control.reply(requestId, token, reply),
  counts: async () => counts(),
  async events(requestId, question) {
    for await (const event of await inquiries.events(requestId, {})) tell({ question, event });
  },
  close: () => lifecycle.close(),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { question, what, given } = JSON.parse(line);
  does[what](given, question).then(
    (result) => tell({ question, result: result ?? null }),
    (thrown) => tell({ question, code: thrown.code ?? String(thrown) }),
  );
}
