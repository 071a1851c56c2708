import type { Clock } from '../clock.js';
import { ReachError } from '../errors.js';
import type { CallObserver, InstanceViews } from '../health/instance-view.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { LIMITS } from '../wire/limits.js';
import type { OutcomeReport } from '../wire/records.js';
import type { DecisionRecord } from './decision-record.js';
import type { DecisionRecorder } from './decision-recorder.js';
import { refuseUnlessCapability } from './right-capability.js';

/** What a call came to that was decided on longer ago says nothing of now. */
const TELLS_OF_NOW_MS = LIMITS.deadlineMs;

export interface OutcomeReportsParts {
  readonly recorder: DecisionRecorder;
  readonly instances: InstanceViews & CallObserver;
  readonly catalogue: () => CatalogueSnapshot;
  readonly clock: Clock;
}

/** What callers tell of targets that they called themselves: kept with the decision, and told to health once. */
export class OutcomeReports {
  readonly #parts: OutcomeReportsParts;

  constructor(parts: OutcomeReportsParts) {
    this.#parts = parts;
  }

  /**
   * Keeps a report, and gives the decision that it is about.
   * @throws ReachError ROUTE_UNKNOWN, OUTCOME_REPORTED, CAPABILITY_UNKNOWN, STORE_UNAVAILABLE
   */
  async report(
    routeId: string,
    { status, latencyMs, rightCapability }: OutcomeReport,
  ): Promise<DecisionRecord> {
    const { recorder } = this.#parts;
    if (rightCapability !== undefined) refuseUnlessCapability(rightCapability, this.#parts.catalogue());
    const record = await recorder.find(routeId);
    if (record === undefined) {
      throw new ReachError('ROUTE_UNKNOWN', `No decision with the route_id ${routeId} is kept.`);
    }
    const outcome = { status, latencyMs: latencyMs ?? null, rightCapability: rightCapability ?? null };
    if (!(await recorder.keepOutcome(routeId, outcome))) {
      throw new ReachError('OUTCOME_REPORTED', `The outcome of ${routeId} has been reported before.`);
    }
    this.#tellHealth(record, status, latencyMs);
    return record;
  }

  /** An instance that has another address by now is not the one that was called. */
  #tellHealth(
    { atMs, targetAgent, capabilityId, instanceId, addrVersion }: DecisionRecord,
    status: OutcomeReport['status'],
    latencyMs: number | undefined,
  ): void {
    const { instances, clock } = this.#parts;
    if (targetAgent === null || capabilityId === null || instanceId === null) return;
    if (clock.now() - atMs > TELLS_OF_NOW_MS) return;
    const called = instances.instancesOf(targetAgent).find((view) => view.instanceId === instanceId);
    if (called === undefined || called.addrVersion !== addrVersion) return;
    instances.begin(targetAgent, instanceId, capabilityId)({ outcome: status, elapsedMs: latencyMs });
  }
}
