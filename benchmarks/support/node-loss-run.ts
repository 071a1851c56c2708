import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DispatchRequestWire } from '../../src/wire/dispatch.js';
import { atOnce } from './at-once.js';
import { executionsById } from './chaos-judge.js';
import { judgeNodeLoss, type NodeLoss } from './node-loss-judge.js';
import { RequestClient } from './request-client.js';
import { seenEnd } from './seen-end.js';
import { freePort, type ServiceProcess, startService } from './service-process.js';
import { withTemporaryFolder } from './temporary-folder.js';
import { WorkAgents } from './work-agents.js';
import { CAPABILITIES, workManifest } from './work-manifests.js';

const AGENT = 'archive';
const INSTANCES = 4;
/** So wide that many are under way when the service is killed, and so narrow that many still wait. */
const LANES = 'P0=20/1000,P1=20/1000,P2=20/1000';
const WORK_MS = 1_000;
const CALLERS = 25;
const LATEST_MS = 60_000;
/** The restart, and all budgets of a request. */
const PATIENCE_MS = 180_000;
const WAYS = ['plain', 'stream', 'later'] as const;

/** Kills the service when about half of so many accepted requests are done, and starts it again over the same data. */
export async function nodeLossRun(requests: number): Promise<NodeLoss> {
  const agents = await WorkAgents.open(INSTANCES, true);
  try {
    return await withTemporaryFolder((data) => killedInBetween(requests, agents, data));
  } finally {
    await agents.close();
  }
}

async function killedInBetween(count: number, agents: WorkAgents, data: string): Promise<NodeLoss> {
  const manifests = join(data, 'manifests');
  mkdirSync(manifests);
  const addresses = agents.ports.map((port) => `http://127.0.0.1:${port}`);
  writeFileSync(join(manifests, `${AGENT}.json`), JSON.stringify(workManifest(AGENT, addresses)));
  const env = {
    REACH_DATA: data,
    REACH_MANIFESTS: manifests,
    REACH_ENGLISH_MODEL: 'false',
    REACH_LANES: LANES,
    REACH_PORT: String(await freePort()),
  };
  const asked = Array.from({ length: count }, (_, index) => requestOf(index));
  const underWay = await untilKilled(await startService('serve', env), asked, agents);
  const service = await startService('serve', env);
  try {
    const client = new RequestClient(service.url);
    const ends = await Promise.all(
      asked.map(async (request) => ({
        request,
        seen: await seenEnd(client, request.request_id, PATIENCE_MS),
      })),
    );
    const executions = executionsById(await agents.executions());
    const survivors = ends.map(({ request, seen }) => ({
      request,
      seen,
      executions: executions.get(request.request_id) ?? [],
    }));
    return judgeNodeLoss(survivors, underWay);
  } finally {
    await service.stop();
  }
}

type Asked = DispatchRequestWire & { readonly request_id: string };

/** Of both capabilities and every way of answering alike. */
function requestOf(index: number): Asked {
  const { id } = CAPABILITIES[index % CAPABILITIES.length] ?? CAPABILITIES[0];
  const way = WAYS[Math.floor(index / CAPABILITIES.length) % WAYS.length];
  return {
    request_id: `kept-${index}`,
    agent_name: AGENT,
    capability_id: id,
    payload: { work_ms: WORK_MS, way },
    deadlines: { execute_ms: LATEST_MS },
  };
}

/** How many the agents had begun and not ended when the service was killed; all were accepted before. */
async function untilKilled(
  service: ServiceProcess,
  asked: readonly Asked[],
  agents: WorkAgents,
): Promise<number> {
  const client = new RequestClient(service.url);
  await atOnce(CALLERS, asked, async (request) => {
    const answered = await client.dispatchLater(request);
    if ('code' in answered) throw new Error(`${request.request_id} was not taken: ${answered.code}`);
  });
  for (;;) {
    const executions = await agents.executions();
    if (executions.filter(({ done }) => done).length >= asked.length / 2) break;
    await sleep(5);
  }
  await service.kill();
  return (await agents.executions()).filter(({ done }) => !done).length;
}
