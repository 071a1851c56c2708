import { ROUTES } from '../../src/http/routes.js';

/** What exists before the calls are made. */
export interface Known {
  readonly address: string;
  readonly routeId: string;
  readonly ticketIds: readonly string[];
  readonly labelId: string;
  readonly weights: object;
}

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
}

interface Case {
  /** Whether it cannot be answered without the store. */
  readonly needsStore: boolean;
  /** The path behind the route's, for a route whose URL has names in it; else the whole route's. */
  readonly path?: (known: Known) => string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: (known: Known) => object;
}

export const INTENT = 'how many apples are in stock';

export const manifest = (agentName: string, address: string, version = 1) => ({
  agent_name: agentName,
  manifest_version: version,
  capabilities: [
    { id: 'count', name: 'Count what is in stock', examples: [INTENT, 'count the pears we have'] },
  ],
  instances: [{ instance_id: 'one', address }],
});

const agent = (rest: string) => () => `/api/v1/agents/${rest}`;
const first = ({ ticketIds }: Known) => ticketIds[0] ?? '';
const ticket = (end: string) => (known: Known) => `/api/v1/tickets/${first(known)}${end}`;
const person = () => ({ by: 'ada' });

/** One call of every route of the HTTP door, by its operation. What one of them removes, no other needs. */
const CASES: Readonly<Record<string, Case>> = {
  route: { needsStore: false, body: () => ({ intent: INTENT, session_id: 'kept' }) },
  dispatch: { needsStore: false, body: () => ({ intent: INTENT, session_id: 'kept' }) },
  batch: { needsStore: false, body: () => ({ requests: [{ intent: INTENT }] }) },
  invoke: { needsStore: false, body: () => ({ session_id: 'chat', message: INTENT }) },
  listRequests: { needsStore: true },
  getRequest: { needsStore: true, path: () => '/api/v1/requests/kept' },
  followRequest: { needsStore: true, path: () => '/api/v1/requests/kept/events' },
  cancelRequest: { needsStore: true, path: () => '/api/v1/requests/kept/cancel' },
  replyToRequest: {
    needsStore: true,
    path: () => '/api/v1/requests/kept/reply?token=none',
    body: () => ({ state: 'completed', result: 1 }),
  },
  queues: { needsStore: false },
  listSessions: { needsStore: true },
  getSession: { needsStore: true, path: () => '/api/v1/sessions/kept' },
  putSession: {
    needsStore: true,
    path: () => '/api/v1/sessions/put',
    headers: { 'if-none-match': '*' },
    body: () => ({ summary: 'nothing yet' }),
  },
  removeSession: { needsStore: true, path: () => '/api/v1/sessions/removed' },
  listTickets: { needsStore: true },
  getTicket: { needsStore: true, path: ticket('') },
  claimTicket: { needsStore: true, path: ticket('/claim'), body: person },
  releaseTicket: { needsStore: true, path: ticket('/release'), body: person },
  resolveTicket: {
    needsStore: true,
    path: ({ ticketIds }) => `/api/v1/tickets/${ticketIds[1]}/resolve`,
    body: person,
  },
  getTuning: { needsStore: true },
  getWeights: { needsStore: false },
  applyWeights: {
    needsStore: true,
    body: ({ weights }) => ({ weights: { ...weights, version: 'other-1' } }),
  },
  rollBackWeights: { needsStore: true, body: () => ({}) },
  setShadowWeights: { needsStore: true, body: ({ weights }) => ({ weights }) },
  removeShadowWeights: { needsStore: true },
  compareShadow: { needsStore: true },
  exportLabels: { needsStore: true },
  addLabels: {
    needsStore: true,
    body: () => ({ labels: [{ intent: 'count the plums', expected: ['stock-agent/count'] }] }),
  },
  removeLabel: { needsStore: true, path: ({ labelId }) => `/api/v1/labels/${labelId}` },
  reviewLabels: { needsStore: true },
  listAgents: { needsStore: false },
  getAgent: { needsStore: false, path: agent('stock-agent') },
  publishManifest: {
    needsStore: true,
    path: agent('new-agent/manifest'),
    body: ({ address }) => manifest('new-agent', address),
  },
  removeAgent: { needsStore: true, path: agent('removed-agent') },
  listManifests: { needsStore: true, path: agent('stock-agent/manifests') },
  getManifest: { needsStore: true, path: agent('stock-agent/manifests/1') },
  republishManifest: { needsStore: true, path: agent('stock-agent/manifests/1/publish') },
  listInstances: { needsStore: false, path: agent('stock-agent/instances') },
  getInstance: { needsStore: false, path: agent('stock-agent/instances/kept') },
  registerInstance: {
    needsStore: true,
    path: agent('stock-agent/instances/new'),
    body: ({ address }) => ({ address }),
  },
  removeInstance: { needsStore: true, path: agent('stock-agent/instances/removed') },
  heartbeat: {
    needsStore: false,
    path: agent('stock-agent/instances/kept/heartbeat'),
    body: () => ({ state: 'up' }),
  },
  drainInstance: { needsStore: true, path: agent('stock-agent/instances/drained/drain') },
  doctor: { needsStore: false },
  reportOutcome: {
    needsStore: true,
    path: ({ routeId }) => `/api/v1/routes/${routeId}/outcome`,
    body: () => ({ status: 'completed' }),
  },
  exportRoutes: { needsStore: true },
  reachabilityTrend: { needsStore: true, query: '?agent_name=stock-agent' },
  changes: { needsStore: false },
  watch: { needsStore: false },
  health: { needsStore: false },
  alive: { needsStore: false },
  ready: { needsStore: false },
};

/** What a dispatch is besides that of `CASES`. */
const FURTHER: readonly (Case & { readonly name: string })[] = [
  {
    name: 'a dispatch with a key',
    needsStore: true,
    headers: { 'idempotency-key': 'k1' },
    body: () => ({ intent: INTENT }),
  },
  {
    name: 'an asynchronous dispatch',
    needsStore: true,
    headers: { prefer: 'respond-async' },
    body: () => ({ intent: INTENT }),
  },
  {
    name: 'a dispatch as a stream',
    needsStore: false,
    headers: { accept: 'text/event-stream' },
    body: () => ({ intent: INTENT }),
  },
];

/** Every call of the door, and whether it needs the store. @throws Error where a route has no line above */
export function everyCall(known: Known): readonly {
  readonly name: string;
  readonly needsStore: boolean;
  readonly isTold: boolean;
  readonly call: Call;
}[] {
  const ofRoutes = ROUTES.map((route) => {
    const found = CASES[route.operationId];
    if (found === undefined) throw new Error(`no call of ${route.operationId}`);
    return { name: route.operationId, route, ...found };
  });
  const dispatch = ROUTES.find(({ operationId }) => operationId === 'dispatch');
  const further = FURTHER.flatMap((each) => (dispatch === undefined ? [] : [{ route: dispatch, ...each }]));
  return [...ofRoutes, ...further].map(({ name, route, needsStore, path, query = '', headers, body }) => ({
    name,
    needsStore,
    isTold: route.toldDegraded === true,
    call: {
      method: route.method,
      path: `${path?.(known) ?? route.url}${query}`,
      ...(headers !== undefined && { headers }),
      ...(body !== undefined && { body: body(known) }),
    },
  }));
}
