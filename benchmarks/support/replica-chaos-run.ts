import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { AnyReplica } from './any-replica.js';
import { executionsById } from './chaos-judge.js';
import { notLinearizable } from './linearizable.js';
import { ReplicaCallers, type SeenDispatches } from './replica-callers.js';
import { type HappenedFaults, harm } from './replica-faults.js';
import { withReplicas } from './replica-set.js';
import { ReplicaWriters, type SeenWrites } from './replica-writers.js';
import { faultsOfEnd } from './request-end-judge.js';
import { COMPARE_AND_SET, IDEMPOTENCY } from './sequential-models.js';
import type { Execution } from './work-agent-process.js';
import { WorkAgents } from './work-agents.js';
import { workManifest } from './work-manifests.js';

const REPLICAS = 3;
const AGENT = 'archive';
const INSTANCES = 4;
/** So wide that what waits is seldom refused. */
const LANES = 'P0=60/1000,P1=60/1000,P2=60/1000';

/** What a run came to; each list is of sentences, and empty where a promise was kept. */
export interface ReplicaChaos {
  readonly faults: HappenedFaults;
  readonly waited: SeenDispatches['waited'];
  readonly keyed: number;
  readonly completed: number;
  readonly notOneEnd: readonly string[];
  readonly carriedOutAgain: readonly string[];
  readonly keyOperations: number;
  /** Keys whose answers no order explains. */
  readonly wrongKeys: readonly string[];
  readonly sessionOperations: number;
  readonly wrongSessions: readonly string[];
  readonly publishes: number;
  readonly tickets: number;
  readonly lostWrites: readonly string[];
}

/** Dispatches, sessions, manifests and tickets on three replicas for so long, while replicas and Redis fail. */
export async function replicaChaosRun(seconds: number): Promise<ReplicaChaos> {
  const agents = await WorkAgents.open(INSTANCES, true);
  try {
    return await withReplicas(REPLICAS, { REACH_LANES: LANES }, async (replicas) => {
      const random = seededRandom(9);
      const any = new AnyReplica(replicas.urls, random);
      const addresses = agents.ports.map((port) => `http://127.0.0.1:${port}`);
      const path = `/api/v1/agents/${AGENT}/manifest`;
      await any.until({ method: 'PUT', path, body: workManifest(AGENT, addresses) }, 30_000);
      const callers = new ReplicaCallers(any, AGENT, random);
      const writers = new ReplicaWriters(any);
      const [faults, dispatches] = await Promise.all([
        harm(replicas, seconds, random),
        callers.sendFor(seconds),
        writers.writeFor(seconds),
      ]);
      const each = replicas.urls.map((url) => new AnyReplica([url], random));
      const writes = await writers.seenIn(each);
      return judged(faults, dispatches, writes, await agents.executions());
    });
  } finally {
    await agents.close();
  }
}

function judged(
  faults: HappenedFaults,
  { keyed, operations, waited }: SeenDispatches,
  { sessions, publishes, tickets, lost }: SeenWrites,
  executions: readonly Execution[],
): ReplicaChaos {
  const byId = executionsById(executions);
  return {
    faults,
    waited,
    keyed: keyed.length,
    completed: keyed.filter((each) => each.kind === 'ended' && each.status.state === 'completed').length,
    notOneEnd: keyed.flatMap((each) => faultsOfEnd(each, byId.get(each.requestId) ?? [])),
    carriedOutAgain: [...byId]
      .filter(([, those]) => those.length > 1 && those.some(({ capabilityId }) => capabilityId === 'write'))
      .map(([requestId, those]) => `${requestId} was carried out ${those.length} times`),
    keyOperations: operations.length,
    wrongKeys: notLinearizable(operations, IDEMPOTENCY),
    sessionOperations: sessions.length,
    wrongSessions: notLinearizable(sessions, COMPARE_AND_SET),
    publishes,
    tickets,
    lostWrites: lost,
  };
}
