import type { Clock } from '../clock.js';
import type { Shares } from '../cluster/shares.js';
import type { Lifecycle } from '../lifecycle.js';
import { FreshHttpClient } from '../net/fresh-http-client.js';
import { HttpProbe } from './http-probe.js';
import type { InstanceTable } from './instance-table.js';
import { Prober } from './prober.js';

export interface ProberContext {
  readonly instances: InstanceTable;
  /** Which instances are ours to probe. */
  readonly shares: Shares;
  /** Told, in one sentence, when the reachability of all turns bad or good. */
  readonly notify: (sentence: string) => void;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** A prober over fresh connections; it probes once it is started, what is there and what comes. */
export function openProber({ instances, shares, notify, clock, lifecycle }: ProberContext) {
  const prober = new Prober({
    clock,
    client: new HttpProbe(new FreshHttpClient(), clock),
    observer: {
      probed: (agentName, instanceId, result) => instances.probed(agentName, instanceId, result),
      reachabilityChanged: ({ detail }) => notify(detail),
    },
    random: Math.random,
  });
  lifecycle.add('prober', () => prober.close());
  return { start: () => instances.followProbes(prober, shares), reachability: () => prober.reachability };
}
