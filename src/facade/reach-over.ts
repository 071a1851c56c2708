import type { Clock } from '../clock.js';
import type { Dispatcher, Route } from '../dispatch/dispatcher.js';
import type { Doctor } from '../doctor/doctor.js';
import type { Embedder } from '../embedding/embedder.js';
import type { BySpace } from '../embedding/embedding-space.js';
import type { OpenedHandoff } from '../handoff/open-handoff.js';
import type { InstanceViews } from '../health/instance-view.js';
import { allOf, embeddingReport, type PartReport, statusOf } from '../health-report.js';
import type { Labels } from '../labels/open-labels.js';
import type { Lifecycle } from '../lifecycle.js';
import type { ChangeStream } from '../live/change-stream.js';
import type { DecisionStream } from '../live/decision-stream.js';
import type { Outbox } from '../outbox/outbox.js';
import type { OverlapFinder } from '../overlaps/overlap-finder.js';
import type { PublishPreviews } from '../preview/publish-previews.js';
import type { Reach } from '../reach.js';
import type { Records } from '../record/open-records.js';
import type { HeartbeatListener } from '../registry/instance.js';
import type { InstanceRegistry } from '../registry/instance-registry.js';
import type { Registry } from '../registry/registry.js';
import type { Requests } from '../requests/open-requests.js';
import type { Sessions } from '../sessions/sessions.js';
import type { ShadowComparer } from '../tuning/shadow-comparer.js';
import type { ShadowRouter } from '../tuning/shadow-router.js';
import type { WeightsInForce } from '../tuning/weights-in-force.js';
import type { HealthReport } from '../wire/health.js';
import { batchCalls } from './batch-calls.js';
import { catalogueCalls } from './catalogue-calls.js';
import { type InstanceHistories, instanceCalls } from './instance-calls.js';
import { invokeCall } from './invoke-call.js';
import { labelCalls } from './label-calls.js';
import { liveCalls } from './live-calls.js';
import { OpenCalls } from './open-calls.js';
import { previewCalls } from './preview-calls.js';
import { recordCalls } from './record-calls.js';
import { requestCalls } from './request-calls.js';
import { routingCalls } from './routing-calls.js';
import { sessionCalls } from './session-calls.js';
import { shadowCalls } from './shadow-calls.js';
import { ticketCalls } from './ticket-calls.js';
import { tuningCalls } from './tuning-calls.js';

export interface ReachParts {
  readonly version: string;
  readonly registry: Registry;
  readonly route: Route;
  readonly dispatcher: Pick<Dispatcher, 'queues'>;
  readonly requests: Requests;
  readonly sessions: Sessions;
  readonly overlaps: OverlapFinder;
  readonly previews: PublishPreviews;
  readonly instanceRegistry: InstanceRegistry;
  readonly doctor: Doctor;
  readonly changeStream: ChangeStream;
  readonly decisionStream: DecisionStream;
  readonly instances: InstanceViews & InstanceHistories & HeartbeatListener;
  readonly embedders: BySpace<Embedder>;
  /** The configuration's global threshold; null: that of the weights. */
  readonly threshold: number | null;
  readonly weightsInForce: WeightsInForce;
  readonly vectorIndex: () => HealthReport['vectorIndex'];
  readonly store: PartReport;
  readonly manifests: PartReport;
  readonly rules: PartReport;
  readonly reachability: PartReport;
  readonly replicas: () => HealthReport['replicas'];
  readonly records: Records;
  readonly shadow: ShadowRouter;
  readonly shadowComparer: ShadowComparer;
  readonly labels: Labels;
  readonly handoff: OpenedHandoff;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** Whether the catalogue is loaded and embedded. */
  readonly started: () => boolean;
}

/** Puts the façade before the parts that do the work. */
export function reachOver(parts: ReachParts): Reach {
  const { registry, embedders, clock, lifecycle, started } = parts;
  const startedAt = clock.monotonic();
  const calls = new OpenCalls(lifecycle, started);
  const requests = requestCalls(
    { requests: parts.requests, agentQueues: () => parts.dispatcher.queues() },
    calls,
  );

  const recorded = recordCalls(parts, calls);

  return {
    ...catalogueCalls(parts, calls),
    ...previewCalls({ ...parts, exportRoutes: recorded.exportRoutes }, calls),
    ...instanceCalls(parts, calls),
    ...routingCalls(parts, calls),
    ...requests,
    ...batchCalls({ requests, clock }, calls),
    ...sessionCalls(parts, calls),
    ...invokeCall({ ...parts, dispatch: requests.dispatch }, calls),
    ...recorded,
    ...shadowCalls(parts, calls),
    ...liveCalls(parts, calls),
    ...ticketCalls(parts, calls),
    ...tuningCalls(parts, calls),
    ...labelCalls(parts, calls),

    health() {
      const { agents, version } = registry.snapshot;
      const capabilities = [...agents.values()].reduce((sum, a) => sum + a.manifest.capabilities.length, 0);
      const catalogue = {
        state: started() ? ('ok' as const) : ('starting' as const),
        detail: `${agents.size} agents with ${capabilities} capabilities.`,
        version,
        agents: agents.size,
        capabilities,
      };
      const report = {
        catalogue,
        embedding: embeddingReport(embedders),
        vectorIndex: parts.vectorIndex(),
        store: parts.store(),
        manifests: parts.manifests(),
        rules: parts.rules(),
        reachability: parts.reachability(),
        replicas: parts.replicas(),
        records: parts.records.recorder.status(),
        tickets: parts.handoff.status(),
        shadow: parts.shadow.status(),
        outbox: parts.outbox.status(),
      };
      const status = lifecycle.closing ? 'degraded' : statusOf(report);
      const uptimeMs = Math.round(clock.monotonic() - startedAt);
      return { status, version: parts.version, uptimeMs, ...report };
    },

    doctor: () => parts.doctor.report(),

    get threshold() {
      return parts.threshold ?? parts.weightsInForce.current.thresholds.global;
    },

    get ready() {
      return (
        started() &&
        !lifecycle.closing &&
        allOf(embedders).every((embedder) => embedder.status().state === 'ready')
      );
    },

    get storeAway() {
      return parts.store().state === 'failed';
    },

    close: () => lifecycle.close(),
  };
}
