import { setTimeout } from 'node:timers/promises';
import { EventCounter } from './support/event-counter.js';
import type { Bench } from './support/figure.js';
import { type Fleet, fleetMembers } from './support/fleet.js';
import { withFleetService } from './support/fleet-service.js';
import { sendJson } from './support/send-json.js';
import { untilReady } from './support/until-ready.js';

const INSTANCES = 1_000;
const AGENTS = 10;
const RESTARTED = 100;
/** Two of one agent, of which one is killed. */
const PAIR = [
  { agentName: `fleet-${AGENTS}`, instanceId: 'killed' },
  { agentName: `fleet-${AGENTS}`, instanceId: 'spared' },
] as const;
/** Calls after the kill, one after the other. */
const CALLS = 200;
/** Longer than the window in which changes are merged. */
const SETTLE_MS = 1_000;
const PROBE_MS = 5_000;

/** How many events tell a follower of a restart, in percent of the rows of a whole table at each change. */
async function restartShare(url: string, fleet: Fleet): Promise<number> {
  const restarting = fleetMembers(INSTANCES, AGENTS).slice(0, RESTARTED);
  const counter = await EventCounter.listen(`${url}/api/v1/changes`);
  try {
    await fleet.leave(restarting);
    await fleet.restart(restarting);
    await setTimeout(SETTLE_MS);
    const told = counter.count('change');
    if (told === 0) throw new Error('Nobody was told of the restart.');
    return (100 * told) / (2 * RESTARTED * INSTANCES);
  } finally {
    await counter.close();
  }
}

interface Killed {
  /** Attempts on the killed instance. */
  readonly failedAttempts: number;
  readonly lost: number;
  /** Until the table had it as down, in probes. */
  readonly probes: number;
}

/** Calls an agent of two instances all along while one of them is killed. */
async function killOne(url: string, fleet: Fleet): Promise<Killed> {
  const [killed] = PAIR;
  const isDown = async () => {
    const answer = await fetch(`${url}/api/v1/agents/${killed.agentName}/instances/${killed.instanceId}`);
    const { state } = (await answer.json()) as { state: string };
    return state === 'down' || state === 'fenced';
  };
  await fleet.kill([killed]);
  const killedAt = performance.now();
  let [failedAttempts, lost] = [0, 0];
  for (let call = 0; call < CALLS; call += 1) {
    const answer = await sendJson('POST', `${url}/api/v1/dispatch`, { agent_name: killed.agentName });
    const { state, attempts } = answer as { state: string; attempts: { outcome: string }[] };
    failedAttempts += attempts.filter(({ outcome }) => outcome !== 'completed').length;
    if (state !== 'completed') lost += 1;
  }
  await untilReady(isDown);
  return { failedAttempts, lost, probes: (performance.now() - killedAt) / PROBE_MS };
}

/** Decisions that name an instance which has just been drained. */
async function decisionsForDrained(url: string): Promise<number> {
  const [, { agentName, instanceId }] = PAIR;
  await sendJson('POST', `${url}/api/v1/agents/${agentName}/instances/${instanceId}/drain`, {});
  let named = 0;
  for (let call = 0; call < CALLS; call += 1) {
    const decision = await sendJson('POST', `${url}/api/v1/route`, { agent_name: agentName });
    if (decision.instance_id === instanceId) named += 1;
  }
  return named;
}

export const bench: Bench = {
  name: 'membership',
  title: `${INSTANCES} instances: what is told of ${RESTARTED} that restart together, and how soon one that is killed or drained gets no work any more.`,
  async run() {
    return withFleetService(AGENTS + 1, async ({ url }, fleet) => {
      await fleet.join([...fleetMembers(INSTANCES, AGENTS), ...PAIR]);
      await setTimeout(SETTLE_MS);
      const share = await restartShare(url, fleet);
      const { failedAttempts, lost, probes } = await killOne(url, fleet);
      const drained = await decisionsForDrained(url);
      const count = { unit: '', better: 'lower' } as const;
      return [
        { name: 'messages of a restart, of full tables', value: share, unit: '%', better: 'lower', goal: 1 },
        { name: 'failed attempts after a kill', value: failedAttempts, goal: 1, ...count },
        { name: 'requests lost by it', value: lost, goal: 0, ...count },
        // A probe is due at once, two more follow within 5.5 s each, and the last may need its whole time.
        { name: 'until the table knows', value: probes, unit: 'probes', better: 'lower', goal: 3 },
        { name: 'decisions for a drained one', value: drained, goal: 0, ...count },
      ];
    });
  },
};
