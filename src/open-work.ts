import type { Clock } from './clock.js';
import type { Cluster } from './cluster/open-cluster.js';
import type { ReachConfig } from './config.js';
import { seekBudgetMs } from './dispatch/budgets.js';
import type { DispatcherParts } from './dispatch/dispatcher.js';
import { openDispatcher } from './dispatch/open-dispatcher.js';
import { type HandoffContext, openHandoff } from './handoff/open-handoff.js';
import type { InstanceTable } from './health/instance-table.js';
import type { Lifecycle } from './lifecycle.js';
import { Callbacks } from './outbox/callbacks.js';
import { openOutbox } from './outbox/open-outbox.js';
import type { OutboxStore } from './outbox/outbox-store.js';
import { openRequests, type RequestsContext } from './requests/open-requests.js';
import type { Router } from './routing/router.js';
import { aroundCarryOut } from './sessions/around-carry-out.js';
import { aroundRoute } from './sessions/around-route.js';
import { openSessions } from './sessions/open-sessions.js';
import type { SessionStore } from './sessions/session-store.js';

interface WorkContext extends Pick<DispatcherParts, 'catalogue' | 'instances' | 'choice'> {
  readonly config: ReachConfig;
  readonly stores: HandoffContext['stores'] &
    RequestsContext['stores'] & { readonly sessions: SessionStore; readonly outbox: OutboxStore };
  readonly cluster: Cluster;
  readonly router: Router;
  /** Tells of instances that change. */
  readonly fleet: InstanceTable;
  /** Where the HTTP door listens, once it does. */
  readonly doorUrl: () => string | undefined;
  readonly team: string;
  readonly clock: Clock;
  readonly lifecycle: Lifecycle;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Puts together what stands between a decision and its result: conversations, dispatch, requests, and who is told. */
export async function openWork(context: WorkContext) {
  const { config, stores, cluster, router, fleet, doorUrl, team, clock, lifecycle, report } = context;
  const { allowedHosts, lanes, webhookSecret } = config;
  const common = { team, clock, lifecycle, report };

  const sessions = openSessions({ store: stores.sessions, ...common });
  const route = aroundRoute(
    (request, end, conversation) => router.route(request, end, conversation),
    sessions,
  );
  // Closed after the dispatcher, whose last answers may still be told and need a person.
  const outbox = openOutbox({ store: stores.outbox, allowedHosts, ...common });
  const handoff = await openHandoff({ stores, config, outbox, ...common });
  const { catalogue, instances, choice } = context;
  const dispatching = { route, catalogue, instances, choice, lanes, clock, shares: cluster.shares };
  const dispatcher = openDispatcher({ ...dispatching, allowedHosts, fleet, lifecycle });
  const conversing = aroundCarryOut((request, life) => dispatcher.dispatch(request, life), {
    sessions,
    instances,
    clock,
  });
  const requests = await openRequests({
    carryOut: handoff.around(conversing),
    withdraw: (requestId, delivery) => dispatcher.withdraw(requestId, delivery),
    stores,
    cluster,
    seekBudgetMs,
    callbacks: new Callbacks({ outbox, secretRef: webhookSecret }),
    publicUrl: () => config.publicUrl?.replace(/\/$/, '') ?? doorUrl(),
    ...common,
  });
  return {
    parts: { sessions, route, outbox, handoff, dispatcher, requests },
    async start() {
      outbox.start();
      handoff.start();
      await requests.start();
    },
  };
}
