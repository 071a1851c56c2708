import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { percentile } from '../../src/evaluation/percentile.js';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import { readEventBlocks } from '../../src/wire/event-blocks.js';
import type { ChangeWire } from '../../src/wire/live.js';
import { AnyReplica } from './any-replica.js';
import { withReplicas } from './replica-set.js';
import { withTemporaryFolder } from './temporary-folder.js';
import { untilReady } from './until-ready.js';

const REPLICAS = 3;
const A_SECOND = 200;
const AGENTS = 20;
const WATCH = fileURLToPath(new URL('loop-delay.mjs', import.meta.url));

export interface ReplicaRegistrations {
  readonly registered: number;
  /** From the call until a replica told it, each registration on each replica, in ms. */
  readonly visibleP50: number;
  readonly visibleP99: number;
  /** How late the event loop of any replica was at most, in ms. */
  readonly latestLoopMs: number;
}

/** Registers instances on any of three replicas at a steady rate, and looks when each of the three tells of each. */
export function replicaRegistrationsRun(seconds: number): Promise<ReplicaRegistrations> {
  return withTemporaryFolder((folder) => {
    const env = { REACH_PROBES: 'false', NODE_OPTIONS: `--import ${WATCH}`, LOOP_DELAY_FOLDER: folder };
    return withReplicas(REPLICAS, env, async ({ urls }) => {
      const any = new AnyReplica(urls, seededRandom(3));
      const seen = await Promise.all(urls.map(joinsOf));
      const beganAtMs = Date.now();
      const sentAt = new Map<string, number>();
      const answers: Promise<void>[] = [];
      const startedAt = performance.now();
      for (let sent = 0; sent < seconds * A_SECOND; sent += 1) {
        const dueMs = (sent * 1_000) / A_SECOND - (performance.now() - startedAt);
        if (dueMs > 1) await sleep(dueMs);
        const path = `/api/v1/agents/joins-${sent % AGENTS}/instances/i${sent}`;
        sentAt.set(`joins-${sent % AGENTS}/i${sent}`, performance.now());
        const body = { address: `http://127.0.0.1:${10_000 + sent}` };
        answers.push(any.until({ method: 'PUT', path, body }, 30_000).then(refuseProblem));
      }
      await Promise.all(answers);
      await untilReady(() => seen.every(({ joins }) => joins.size >= sentAt.size));
      for (const { end } of seen) end();
      const times = seen
        .flatMap(({ joins }) => [...sentAt].map(([name, at]) => (joins.get(name) ?? Number.NaN) - at))
        .sort((a, b) => a - b);
      return {
        registered: sentAt.size,
        visibleP50: percentile(times, 0.5),
        visibleP99: percentile(times, 0.99),
        latestLoopMs: latestSince(folder, beganAtMs),
      };
    });
  });
}

function refuseProblem({ status, body }: { status: number; body: unknown }): void {
  if (status >= 300) throw new Error(`A registration was answered ${status}: ${JSON.stringify(body)}`);
}

/** When a replica told of each instance that came. */
async function joinsOf(url: string) {
  const stop = new AbortController();
  const { body } = await fetch(`${url}/api/v1/changes`, { signal: stop.signal });
  const joins = new Map<string, number>();
  const read = async () => {
    if (body === null) return;
    for await (const { event, data } of readEventBlocks(body)) {
      if (event !== 'change' || data === undefined) continue;
      const { agent, instance, from } = JSON.parse(data) as ChangeWire;
      const name = `${agent}/${instance}`;
      if (from === null && !joins.has(name)) joins.set(name, performance.now());
    }
  };
  // It ends with its reader.
  read().catch(() => {});
  return { joins, end: () => stop.abort() };
}

function latestSince(folder: string, sinceMs: number): number {
  const files = readdirSync(folder).filter((name) => Number(name.split('-')[1]) > sinceMs);
  return Math.max(...files.map((name) => Number(readFileSync(join(folder, name), 'utf8'))));
}
