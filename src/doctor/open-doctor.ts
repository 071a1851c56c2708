import type { Clock } from '../clock.js';
import type { InstanceViews } from '../health/instance-view.js';
import type { Lifecycle } from '../lifecycle.js';
import type { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import type { Instance } from '../registry/instance.js';
import type { Weights } from '../routing/weights.js';
import type { Rule } from '../rules/rule.js';
import type { WeightsInForce } from '../tuning/weights-in-force.js';
import { farDeadlines } from './deadline-check.js';
import { Doctor } from './doctor.js';
import { instancesWithoutManifest } from './instance-check.js';
import { rulesWithMissingNames } from './rules-check.js';
import { unknownStrategies } from './strategy-check.js';
import { doubtfulThresholds } from './threshold-check.js';
import { unreachedCapabilities, unusedAgents } from './usage-checks.js';
import { UsageLog } from './usage-log.js';
import { foreignWeights } from './weights-check.js';

export interface DoctorContext {
  readonly catalogue: () => CatalogueSnapshot;
  readonly views: InstanceViews;
  readonly registered: () => Iterable<Instance>;
  readonly rules: () => readonly Rule[];
  readonly strategies: { has(name: string): boolean };
  readonly weights: {
    readonly inForce: WeightsInForce;
    readonly configured: Weights;
    readonly onDisk: () => Promise<Weights>;
  };
  readonly overlaps: OverlapFinder;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
}

/** The doctor with all that it looks for. `usage` follows decisions. */
export function openDoctor(context: DoctorContext): { readonly doctor: Doctor; readonly usage: UsageLog } {
  const { catalogue, views, registered, rules, strategies, weights, overlaps, clock, lifecycle } = context;
  const log = new UsageLog(clock);
  const used = { catalogue, usage: () => log.usage() };
  const doctor = new Doctor(
    [
      rulesWithMissingNames({ catalogue, rules }),
      instancesWithoutManifest({ catalogue, instances: registered }),
      farDeadlines({ catalogue, instances: views }),
      unknownStrategies({ catalogue, strategies }),
      foreignWeights(weights),
      doubtfulThresholds({ catalogue, weights: () => weights.inForce.current, overlaps }),
      unusedAgents(used),
      unreachedCapabilities(used),
    ],
    clock,
  );
  lifecycle.add('doctor', () => doctor.close());
  return { doctor, usage: log };
}
