import { setTimeout as sleep } from 'node:timers/promises';
import { type Balancer, startBalancer } from './balancer.js';
import type { BuiltVersion, Kit } from './built-version.js';
import { freePort, startService } from './service-process.js';
import { untilReady } from './until-ready.js';
import { serves, startUpgradeAgent } from './upgrade-agent.js';

const AGENT = 'roll-agent';
const INTENT = `count for ${AGENT}`;
/** Calls that run at the same time, of each version's kit. */
const CALLERS = 2;
/** Until calls that are on their way have begun; as `roll.sh` waits. */
const DRAIN_MS = 2_000;
/** How long each stage lasts under load. */
const STAGE_MS = 3_000;

export interface Roll {
  readonly answered: number;
  readonly failed: readonly string[];
}

/** Where a version is served, by REACH_* variables. */
export interface Place {
  readonly version: BuiltVersion;
  readonly settings: Readonly<Record<string, string>>;
}

/** Calls of one kit, one after the other, every second one with a key, until `isOver`. */
async function call({ kit }: BuiltVersion, url: string, told: Told, isOver: () => boolean): Promise<void> {
  const { ReachClient } = (await import(kit)) as Kit;
  const reach = new ReachClient({ endpoint: url, timeoutMs: 20_000 });
  for (let count = 0; !isOver(); count += 1) {
    const key = count % 2 === 0 ? {} : { requestId: crypto.randomUUID() };
    const state = await reach.dispatch(INTENT, null, key).then((answer) => answer.state, String);
    if (state === 'completed') told.answered += 1;
    else told.failed.push(state);
  }
}

interface Told {
  answered: number;
  readonly failed: string[];
}

/**
 * Moves a service from one version to another behind the balancer, under calls of both kits: the new one stands beside the
 * old one, gets agents of its own, takes the calls over, and the old one ends. The agents that the old one had find the
 * new one by themselves.
 */
export async function roll(before: Place, after: Place): Promise<Roll> {
  const ports = [await freePort(), await freePort()];
  const start = ({ version, settings }: Place, place: number) =>
    startService('serve', { ...settings, REACH_PORT: String(ports[place]) }, version.main);
  const old = await start(before, 0);
  const balancer: Balancer = await startBalancer(ports.map((port) => `127.0.0.1:${port}`));
  await balancer.set(1, 'drain');
  const ofOld = await startUpgradeAgent(before.version, balancer.url, AGENT, 'of-old');
  const told: Told = { answered: 0, failed: [] };
  let isOver = false;
  const calling = [before, after].flatMap(({ version }) =>
    Array.from({ length: CALLERS }, () => call(version, balancer.url, told, () => isOver)),
  );
  await sleep(STAGE_MS);

  const fresh = await start(after, 1);
  const ofNew = await startUpgradeAgent(after.version, fresh.url, AGENT, 'of-new');
  await balancer.set(1, 'ready');
  await sleep(STAGE_MS);
  await balancer.set(0, 'drain');
  await sleep(DRAIN_MS);
  await old.stop();
  // Its next beat is answered by a service that does not know it: it publishes and registers.
  await untilReady(() => serves(fresh.url, ofOld));
  await ofNew.stop();
  await sleep(STAGE_MS);

  isOver = true;
  await Promise.all(calling);
  await ofOld.stop();
  await fresh.stop();
  await balancer.stop();
  return told;
}
