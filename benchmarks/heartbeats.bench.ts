import { setTimeout } from 'node:timers/promises';
import type { Bench } from './support/figure.js';
import { fleetMembers } from './support/fleet.js';
import { withFleetService } from './support/fleet-service.js';

const INSTANCES = 1_000;
const AGENTS = 10;
/** After so long a calm fleet beats as rarely as it ever will: 10 s, 15 s, then 20 s. */
const CALM_AFTER_MS = 50_000;
const MEASURED_MS = 60_000;
/** What a fixed interval would be, by which the beats that are saved are judged. */
const FIXED_MS = 5_000;

export const bench: Bench = {
  name: 'heartbeats',
  title: `${INSTANCES} calm instances that beat as they are asked to and are probed every 5 s: what that takes of the service's core, and how many beats it saves.`,
  async run() {
    return withFleetService(AGENTS, async (service, fleet) => {
      await fleet.join(fleetMembers(INSTANCES, AGENTS));
      await setTimeout(CALM_AFTER_MS);
      const [before, cpuBefore, startedAt] = [await fleet.counts(), service.cpuSeconds(), performance.now()];
      await setTimeout(MEASURED_MS);
      const [after, cpuAfter] = [await fleet.counts(), service.cpuSeconds()];
      const seconds = (performance.now() - startedAt) / 1_000;
      const beats = after.beats - before.beats;
      const fixed = (INSTANCES * seconds * 1_000) / FIXED_MS;
      return [
        {
          name: 'share of a core',
          value: (100 * (cpuAfter - cpuBefore)) / seconds,
          unit: '%',
          better: 'lower',
          goal: 10,
        },
        {
          name: 'fewer beats than every 5 s',
          value: 100 * (1 - beats / fixed),
          unit: '%',
          better: 'higher',
          goal: 36,
        },
        { name: 'beats', value: beats / seconds, unit: '/s', better: 'lower', goal: null },
        {
          name: 'probes',
          value: (after.probes - before.probes) / seconds,
          unit: '/s',
          better: 'higher',
          goal: 196,
        },
        { name: 'calls refused', value: after.refused, unit: '', better: 'lower', goal: 0 },
      ];
    });
  },
};
