import type { Bench } from './support/figure.js';
import { replicaChaosFigures } from './support/replica-chaos-figures.js';
import { replicaChaosRun } from './support/replica-chaos-run.js';
import { joiningRun, replicaCostRun } from './support/replica-cost-run.js';
import { replicaRegistrationsRun } from './support/replica-registrations-run.js';

const CHAOS_SECONDS = 300;
const REGISTRATION_SECONDS = 60;

export const bench: Bench = {
  name: 'replicas',
  title: `Three replicas over one Redis, all real processes: what sharing costs where routes are cached, a replica that joins, 200 registrations a second, and ${CHAOS_SECONDS / 60} minutes in which replicas are killed and Redis is paused, cut off and restarted under 100 dispatches a second.`,
  async run() {
    const cost = await replicaCostRun();
    const joining = await joiningRun();
    const registrations = await replicaRegistrationsRun(REGISTRATION_SECONDS);
    const chaos = await replicaChaosRun(CHAOS_SECONDS);
    return [
      {
        name: 'dispatches with cached routes, one of three replicas, of a process alone',
        value: cost.dispatchShare,
        ...{ unit: 'x', better: 'higher', goal: 0.85 },
      },
      {
        name: `of ${cost.blindRoutes} cached routes while Redis does not answer, refused or late`,
        value: cost.blindRefused,
        ...{ unit: '', better: 'lower', goal: 0 },
      },
      {
        name: `${joining.capabilities} capabilities published, which embeds them`,
        value: joining.publishedMs,
        ...{ unit: 'ms', better: 'lower', goal: null },
      },
      {
        name: 'a replica that joins is ready',
        value: joining.readyMs,
        ...{ unit: 'ms', better: 'lower', goal: 5_000 },
      },
      {
        name: `${registrations.registered} registrations, visible on all, p50`,
        value: registrations.visibleP50,
        ...{ unit: 'ms', better: 'lower', goal: null },
      },
      {
        name: 'the same, p99',
        value: registrations.visibleP99,
        ...{ unit: 'ms', better: 'lower', goal: 1_000 },
      },
      {
        name: 'event loop of a replica meanwhile, late at most',
        value: registrations.latestLoopMs,
        ...{ unit: 'ms', better: 'lower', goal: 100 },
      },
      ...replicaChaosFigures(chaos),
    ];
  },
};
