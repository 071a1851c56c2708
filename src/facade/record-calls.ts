import type { Clock } from '../clock.js';
import type { Labels } from '../labels/open-labels.js';
import { intentPatternOf } from '../manifest/intent-pattern.js';
import { recordedDecision } from '../record/decision-record.js';
import type { Records } from '../record/open-records.js';
import type { ExportedRange } from '../record/route-export.js';
import { PERIODS } from '../record/trend-store.js';
import type { Registry } from '../registry/registry.js';
import { camelCheckOf } from '../wire/check.js';
import { LIMITS } from '../wire/limits.js';
import {
  type OutcomeAnswer,
  type OutcomeReport,
  OutcomeReportSchema,
  type RecordedDecision,
  type Trend,
} from '../wire/records.js';
import { DEFAULT_HOURS, type OpenCalls, refuseUnlessFit, refuseUnlessWhole } from './open-calls.js';

export interface RouteExportQuery {
  /** How far back, 1 to 168. */
  readonly hours?: number;
  /** Only intents that hold this text, or fit this `/regular expression/`; case does not count. */
  readonly intent?: string;
  /** Only decisions for this agent. */
  readonly agentName?: string;
  /** Else the oldest comes first. */
  readonly newestFirst?: boolean;
}

/** What was decided, and what became of it. */
export interface RecordCalls {
  /**
   * Tells what became of a call that was made by oneself, once a decision: it counts for the instance as a call of
   * ours, and is kept with the decision.
   * @throws ReachError INVALID_REQUEST, ROUTE_UNKNOWN, OUTCOME_REPORTED, CAPABILITY_UNKNOWN, STORE_UNAVAILABLE,
   * NOT_READY, CLOSED
   */
  outcome(routeId: string, report: OutcomeReport): Promise<OutcomeAnswer>;
  /**
   * The decisions of the last hours (24) up to now, read as they are taken.
   * @throws ReachError INVALID_REQUEST at once; STORE_UNAVAILABLE, CLOSED while they are taken
   */
  exportRoutes(query?: RouteExportQuery): AsyncIterable<RecordedDecision>;
  /**
   * How reachable an agent was in the last hours (24; up to a year), by the minute, hour and day.
   * @throws ReachError INVALID_REQUEST, AGENT_UNKNOWN where nothing of it is kept either, STORE_UNAVAILABLE, CLOSED
   */
  trend(agentName: string, hours?: number): Promise<Trend>;
}

interface RecordParts {
  readonly registry: Registry;
  readonly records: Records;
  readonly labels: Labels;
  readonly clock: Clock;
}

const checkReport = camelCheckOf(OutcomeReportSchema);

export function recordCalls(
  { registry, records, labels, clock }: RecordParts,
  calls: OpenCalls,
): RecordCalls {
  const { outcomes, routes, trend } = records;

  async function* exported(range: ExportedRange) {
    for await (const record of routes.of(range)) yield recordedDecision(record);
  }

  return {
    async outcome(routeId, report) {
      calls.refuseUnlessOpen();
      refuseUnlessFit(checkReport, report);
      const record = await calls.track(outcomes.report(routeId, report));
      const { rightCapability } = report;
      if (rightCapability !== undefined) labels.gatherer.reported(record, rightCapability);
      return { routeId };
    },

    exportRoutes({ hours = DEFAULT_HOURS, intent, agentName, newestFirst = false } = {}) {
      refuseUnlessWhole('/hours', hours, LIMITS.exportHours);
      const matches = intent === undefined ? undefined : intentPatternOf(intent, '/intent');
      const untilMs = clock.now() + 1;
      const fromMs = untilMs - hours * PERIODS.hour;
      return exported({ fromMs, untilMs, agentName, newestFirst, matches });
    },

    async trend(agentName, hours = DEFAULT_HOURS) {
      refuseUnlessWhole('/hours', hours, LIMITS.trendHours);
      const found = await trend.of(agentName, hours);
      if (found.days.length === 0) registry.agent(agentName);
      return found;
    },
  };
}
