import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ChaosCallers } from './chaos-callers.js';
import type { Chaos, SeenInstance } from './chaos-judge.js';
import { FaultProxy } from './fault-proxy.js';
import { startService } from './service-process.js';
import { withTemporaryFolder } from './temporary-folder.js';
import { type WorkAgents, withWorkAgents } from './work-agents.js';
import { workManifest } from './work-manifests.js';

const AGENTS = ['north', 'east', 'south'] as const;
const INSTANCES_EACH = 2;
const FAULT_SHARE = 0.1;
/** The first instance of each agent fails at everything from the start for so long. */
const SICK_MS = 25_000;

/** An instance behind its proxy. */
interface Place {
  readonly agentName: string;
  readonly instanceId: string;
  readonly agents: WorkAgents;
  readonly proxy: FaultProxy;
}

/** Sends requests for so long to agents behind proxies that let something go wrong; what everybody saw of it. */
export function chaosRun(seconds: number): Promise<Chaos> {
  const shape = { processes: AGENTS.length * INSTANCES_EACH, instances: 1, logged: true };
  return withWorkAgents(shape, async (all) => {
    const places = await Promise.all(all.map(placeOf));
    try {
      return await withTemporaryFolder((data) => underChaos(seconds, places, data));
    } finally {
      await Promise.all(places.map(({ proxy }) => proxy.close()));
    }
  });
}

async function placeOf(agents: WorkAgents, index: number): Promise<Place> {
  const agentName = AGENTS[Math.floor(index / INSTANCES_EACH)] ?? '';
  const proxy = await FaultProxy.open(agents.ports[0] ?? 0, FAULT_SHARE, index + 1);
  return { agentName, instanceId: `i${index % INSTANCES_EACH}`, agents, proxy };
}

async function underChaos(seconds: number, places: readonly Place[], data: string): Promise<Chaos> {
  const manifests = join(data, 'manifests');
  mkdirSync(manifests);
  for (const agentName of AGENTS) {
    const own = places.filter((place) => place.agentName === agentName);
    const manifest = workManifest(
      agentName,
      own.map(({ proxy }) => proxy.address),
    );
    writeFileSync(join(manifests, `${agentName}.json`), JSON.stringify(manifest));
  }
  const service = await startService('serve', {
    REACH_DATA: data,
    REACH_MANIFESTS: manifests,
    REACH_ENGLISH_MODEL: 'false',
  });
  try {
    const sick = places.filter(({ instanceId }) => instanceId === 'i0');
    await Promise.all(sick.map(({ agents }) => agents.beSick(true)));
    const sickUntilMs = Date.now() + SICK_MS;
    const cured = sleep(SICK_MS).then(() => Promise.all(sick.map(({ agents }) => agents.beSick(false))));
    const requests = await new ChaosCallers(service.url, AGENTS).sendFor(seconds);
    await cured;
    const seen = ({ agentName, instanceId, agents, proxy }: Place): Promise<SeenInstance> =>
      agents.executions().then((executions) => ({
        name: `${agentName}/${instanceId}`,
        sickUntilMs: instanceId === 'i0' ? sickUntilMs : undefined,
        calls: proxy.calls,
        executions,
      }));
    return { requests, instances: await Promise.all(places.map(seen)) };
  } finally {
    await service.stop();
  }
}
