import type { RequestListener } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../src/clock.js';
import type { Shares } from '../../src/cluster/shares.js';
import { Dispatcher, type Route, type RouteResult } from '../../src/dispatch/dispatcher.js';
import { InstanceTable } from '../../src/health/instance-table.js';
import type { CallOutcome } from '../../src/health/instance-view.js';
import type { Capability, Manifest } from '../../src/manifest/schema.js';
import { HttpClient } from '../../src/net/http-client.js';
import { InstanceChoice } from '../../src/routing/instance-choice.js';
import type { InstanceStrategies } from '../../src/routing/instance-strategy.js';
import { type LaneSizes, SETTINGS } from '../../src/settings.js';
import type { AgentTransport } from '../../src/transport/agent-transport.js';
import { HttpTransport } from '../../src/transport/http-transport.js';
import type { DispatchRequest } from '../../src/wire/dispatch.js';
import type { Decision, RouteRequest } from '../../src/wire/route.js';
import { httpServer, rawServer } from './local-servers.js';
import { memoryInstanceRegistry } from './memory-instance-registry.js';
import { type LifeOptions, MemoryLife } from './request-life.js';
import { type AgentInput, TestCatalogue } from './test-catalogue.js';

/** A decision for the one agent of a set-up. */
export const ROUTED: Decision = {
  routeId: 'route-1',
  outcome: 'routed',
  reason: 'it fits',
  targetAgent: 'reports',
  capabilityId: 'weekly',
  instanceId: 'a',
  targetAddress: null,
  addrVersion: 1,
  confidence: 0.9,
  threshold: 0.75,
  score: 0.9,
  candidates: [],
  timingMs: { embed: 0, retrieve: 0, decide: 0, total: 0 },
  catalogueVersion: 1,
  weightsVersion: '1',
  model: 'test',
};

/** What a route comes to, without any session. */
export function routed(decision: Decision, request: RouteRequest): RouteResult {
  return {
    decision,
    request,
    standIns: [],
    degrade: undefined,
    affinity: undefined,
    session: request.sessionId === undefined ? undefined : { session_id: request.sessionId },
  };
}

interface Setup extends Partial<Pick<RouteResult, 'standIns' | 'degrade' | 'affinity'>> {
  /** The addresses of instances a, b, c ... of the agent of the decision. */
  readonly instances?: readonly (URL | string)[];
  readonly decision?: Partial<Decision>;
  readonly capability?: Partial<Capability>;
  readonly manifest?: Partial<Omit<Manifest, 'capabilities' | 'instances'>>;
  readonly check?: AgentInput['check'];
  readonly checkResult?: AgentInput['checkResult'];
  /** Agents beside it. */
  readonly others?: readonly AgentInput[];
  readonly route?: Route;
  readonly lanes?: LaneSizes;
  readonly shares?: Shares;
  readonly strategies?: InstanceStrategies;
  readonly transport?: AgentTransport;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** A table that also keeps what it was told. */
class RecordingTable extends InstanceTable {
  readonly told: (CallOutcome & { readonly agentName: string; readonly instanceId: string })[] = [];

  override begin(agentName: string, instanceId: string, capabilityId: string) {
    const end = super.begin(agentName, instanceId, capabilityId);
    return (outcome: CallOutcome) => {
      this.told.push({ agentName, instanceId, ...outcome });
      end(outcome);
    };
  }
}

/** The instances at some addresses, called a, b, c ... */
export function instancesAt(addresses: readonly (URL | string)[]) {
  return addresses.map((address, index) => ({
    instanceId: String.fromCharCode(97 + index),
    address: String(address),
  }));
}

function httpTransport(): HttpTransport {
  const transport = new HttpTransport({ http: new HttpClient(), clock: systemClock, allowedHosts: [] });
  onTestFinished(() => transport.close());
  return transport;
}

/** A dispatcher over a fleet of its own. Where nothing else is said, every decision is for its one agent. */
export function setUp(setup: Setup) {
  const { instances = [], decision = {}, capability = {}, others = [], clock = systemClock } = setup;
  const { standIns = [], degrade, affinity, check, checkResult, random, shares } = setup;
  const catalogue = new TestCatalogue();
  const table = new RecordingTable(clock);
  const instanceRegistry = memoryInstanceRegistry();
  instanceRegistry.follow(table);
  catalogue.follow(table);
  catalogue.follow(instanceRegistry);
  catalogue.publish({
    ...setup.manifest,
    agentName: 'reports',
    capabilities: [{ id: 'weekly', ...capability }],
    instances: instancesAt(instances),
    ...(check && { check }),
    ...(checkResult && { checkResult }),
  });
  for (const other of others) catalogue.publish(other);
  const route: Route = async (request) => ({
    ...routed({ ...ROUTED, ...decision }, request),
    standIns,
    degrade,
    affinity,
  });
  const dispatcher = new Dispatcher({
    route: setup.route ?? route,
    catalogue: () => catalogue.snapshot(),
    instances: table,
    choice: new InstanceChoice(setup.strategies),
    lanes: setup.lanes ?? SETTINGS.lanes.byDefault,
    transport: setup.transport ?? httpTransport(),
    clock,
    ...(shares && { shares }),
    ...(random && { random }),
  });
  catalogue.follow(dispatcher);
  table.onChange(({ agentName }) => dispatcher.instanceChanged(agentName));
  return { dispatcher, catalogue, table };
}

interface Seen {
  readonly headers: Record<string, unknown>;
  readonly body: Record<string, unknown>;
}

export function dispatched(dispatcher: Dispatcher, request: DispatchRequest, life: LifeOptions = {}) {
  return dispatcher.dispatch(request, new MemoryLife(life));
}

/** An agent that answers the same to everybody and keeps what it was sent. */
export async function agent(status: number, answer: unknown, headers: Record<string, string> = {}) {
  const seen: Seen[] = [];
  const listener: RequestListener = async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    seen.push({ headers: request.headers, body: JSON.parse(body) });
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(answer));
  };
  const { url, stop } = await httpServer(listener);
  return { url, seen, stop };
}

export async function goneAddress(): Promise<URL> {
  const server = await rawServer(() => {});
  await server.stop();
  return server.url;
}
