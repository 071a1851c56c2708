import type { Clock } from '../clock.js';
import type { Shares } from '../cluster/shares.js';
import { type CallObserver, type InstanceViews, reachabilityOf } from '../health/instance-view.js';
import type { Lifecycle } from '../lifecycle.js';
import type { CatalogueSnapshot } from '../registry/catalogue.js';
import { keepPruned } from '../rounds.js';
import { DecisionRecorder } from './decision-recorder.js';
import { OutcomeReports } from './outcome-reports.js';
import { ReachabilityTrend } from './reachability-trend.js';
import type { RecordStore } from './record-store.js';
import { pruneDecisions } from './retention.js';
import { RouteExport } from './route-export.js';
import type { TrendStore } from './trend-store.js';

export interface RecordsContext {
  readonly stores: { readonly records: RecordStore; readonly trends: TrendStore };
  readonly team: string;
  readonly instances: InstanceViews & CallObserver;
  readonly catalogue: () => CatalogueSnapshot;
  readonly shares: Shares;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** What is kept of decisions and of reachability, and who keeps it. The recorder and the trend follow decisions. */
export interface Records {
  readonly recorder: DecisionRecorder;
  readonly outcomes: OutcomeReports;
  readonly routes: RouteExport;
  readonly trend: ReachabilityTrend;
  /** The instances; calls that are told to them are counted. */
  readonly instances: InstanceViews & CallObserver;
}

/** Puts the parts of the records together and starts them; at the close, what they hold is written. */
export async function openRecords(context: RecordsContext): Promise<Records> {
  const { stores, team, catalogue, shares, clock, lifecycle, report } = context;
  const store = stores.records;
  const agents = () => catalogue().agents.keys();
  const summaryOf = (agentName: string) => reachabilityOf(context.instances.instancesOf(agentName));
  const trend = new ReachabilityTrend({
    store: stores.trends,
    team,
    summaryOf,
    agents,
    shares,
    clock,
    report,
  });
  const recorder = new DecisionRecorder({ store, team, salt: await store.salt(team), clock, report });
  const counting = trend.counting(context.instances);
  const instances = {
    instancesOf: (agentName: string) => context.instances.instancesOf(agentName),
    begin: counting.begin,
  };
  const stopPruning = keepPruned(
    'records',
    [() => pruneDecisions(store, team, clock), () => trend.prune()],
    clock,
    report,
  );
  lifecycle.add('records', async () => {
    await stopPruning();
    await trend.close();
    await recorder.close();
  });
  trend.start();
  return {
    recorder,
    outcomes: new OutcomeReports({ recorder, instances, catalogue, clock }),
    routes: new RouteExport({ recorder, store, team }),
    trend,
    instances,
  };
}
