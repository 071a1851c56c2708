import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { percentile } from '../../src/evaluation/percentile.js';
import { AnyReplica } from './any-replica.js';
import { HttpLoad } from './http-load.js';
import { type ReplicaSet, withReplicas } from './replica-set.js';
import { sendJson } from './send-json.js';
import { startService } from './service-process.js';
import { templatedManifests } from './templated-manifests.js';
import { withTemporaryFolder } from './temporary-folder.js';
import { WorkAgents } from './work-agents.js';
import { INTENTS, workManifest } from './work-manifests.js';

const REPLICAS = 3;
const AGENT = 'archive';
const INSTANCES = 10;
const LANES = 'P0=1000/10000,P1=1000/10000,P2=1000/10000';
const CONNECTIONS = 16;
const REQUESTS = 2_000;
const ROUNDS = 9;
const BLIND_ROUTES = 500;
/** A route that asked Redis would be answered after this, since Redis does not answer. */
const SLOW_MS = 1_000;
const STORED_CAPABILITIES = 5_000;
const PUBLISHERS = 4;
const AGENT_SIZE = 50;

export interface ReplicaCost {
  /** Dispatches with cached routes a second of one of three replicas, of what a process with a file of its own takes. */
  readonly dispatchShare: number;
  /** Of that many cached routes while Redis does not answer, those that were refused or waited for it. */
  readonly blindRoutes: number;
  readonly blindRefused: number;
}

/** What sharing costs a replica whose routes are cached. */
export async function replicaCostRun(): Promise<ReplicaCost> {
  const agents = await WorkAgents.open(INSTANCES, false);
  const load = new HttpLoad();
  const manifest = workManifest(
    AGENT,
    agents.ports.map((port) => `http://127.0.0.1:${port}`),
  );
  try {
    return await withTemporaryFolder(async (folder) => {
      const manifests = join(folder, 'manifests');
      mkdirSync(manifests);
      const env = { REACH_LANES: LANES, REACH_ENGLISH_MODEL: 'false' };
      const single = await startService('serve', { ...env, REACH_DATA: folder, REACH_MANIFESTS: manifests });
      try {
        return await withReplicas(REPLICAS, env, async (replicas) => {
          const [first = ''] = replicas.urls;
          for (const url of [single.url, first]) {
            await sendJson('PUT', `${url}/api/v1/agents/${AGENT}/manifest`, manifest);
          }
          const shares: number[] = [];
          for (let round = 0; round < ROUNDS; round += 1) {
            const alone = await dispatchRate(load, single.url);
            shares.push((await dispatchRate(load, first)) / alone);
          }
          const dispatchShare = percentile(
            shares.toSorted((a, b) => a - b),
            0.5,
          );
          return { dispatchShare, blindRoutes: BLIND_ROUTES, blindRefused: await blindRoutes(replicas) };
        });
      } finally {
        await single.stop();
      }
    });
  } finally {
    await load.close();
    await agents.close();
  }
}

function dispatchRate(load: HttpLoad, url: string): Promise<number> {
  const body = JSON.stringify({ intent: INTENTS.read, payload: { work_ms: 0, way: 'plain' } });
  const port = Number(new URL(url).port);
  return load.rate({
    port,
    path: '/api/v1/dispatch',
    bodies: [body],
    connections: CONNECTIONS,
    requests: REQUESTS,
  });
}

async function blindRoutes({ urls: [first = ''], redis }: ReplicaSet): Promise<number> {
  const replica = new AnyReplica([first], () => 0);
  const call = { method: 'POST', path: '/api/v1/route', body: { intent: INTENTS.read } } as const;
  await replica.once(call);
  redis.pause();
  try {
    let refused = 0;
    for (let route = 0; route < BLIND_ROUTES; route += 1) {
      const sentAt = performance.now();
      const answer = await replica.once(call);
      if (answer?.body.outcome !== 'routed' || performance.now() - sentAt > SLOW_MS) refused += 1;
    }
    return refused;
  } finally {
    redis.resume();
  }
}

export interface Joining {
  readonly capabilities: number;
  /** What publishing them took, which embeds their texts, in ms. */
  readonly publishedMs: number;
  /** From the start of a replica that joins until it is ready, in ms. */
  readonly readyMs: number;
}

/** Lets a third replica join two that hold a large catalogue. */
export function joiningRun(capabilities = STORED_CAPABILITIES): Promise<Joining> {
  return withReplicas(REPLICAS, { REACH_PROBES: 'false' }, async (replicas) => {
    const [first = '', , last = ''] = replicas.urls;
    await replicas.kill(last);
    const manifests = templatedManifests(capabilities, AGENT_SIZE).values();
    const publish = async () => {
      for (const manifest of manifests) {
        await sendJson('PUT', `${first}/api/v1/agents/${manifest.agent_name}/manifest`, manifest);
      }
    };
    const startedAt = performance.now();
    await Promise.all(Array.from({ length: PUBLISHERS }, publish));
    const publishedMs = performance.now() - startedAt;
    const { startMs } = await replicas.start(last);
    return { capabilities, publishedMs, readyMs: startMs };
  });
}
