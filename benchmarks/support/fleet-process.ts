import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

// A fleet of agents that do nothing, forked by Fleet: each instance has a port of its own, registers, and beats as
// often as it is asked to. All in one process, so that thousands of them take little from what is measured.

export interface FleetMember {
  readonly agentName: string;
  readonly instanceId: string;
}

export type FleetOrder =
  /** Opens a port for each and registers it. */
  | { readonly kind: 'join'; readonly service: string; readonly members: readonly FleetMember[] }
  /** Ends each as `kill -9` would: its connections break, nothing is said. */
  | { readonly kind: 'kill'; readonly members: readonly FleetMember[] }
  /** Starts killed ones again, at their old port where it is still free, as another run of their program. */
  | { readonly kind: 'restart'; readonly members: readonly FleetMember[] }
  /** Gives each another address while it runs. */
  | { readonly kind: 'move'; readonly members: readonly FleetMember[] }
  | { readonly kind: 'leave'; readonly members: readonly FleetMember[] }
  | { readonly kind: 'count' };

export interface FleetCounts {
  /** Since the start, of the whole fleet. */
  readonly beats: number;
  readonly probes: number;
  /** Calls of the service that were answered with another status than 2xx. */
  readonly refused: number;
}

/** What the order came to; `addresses` of its members, in their order. */
export interface FleetReport extends FleetCounts {
  readonly addresses: readonly string[];
}

export type FleetAnswer = FleetReport | { readonly error: string };

/** Registrations under way at once. */
const AT_ONCE = 16;

const connections = new Agent({ keepAlive: true, maxSockets: 64 });
const counts = { beats: 0, probes: 0, refused: 0 };
const fleet = new Map<string, Running>();

interface Running {
  readonly member: FleetMember;
  readonly service: string;
  server: Server;
  port: number;
  incarnation: number;
  seq: number;
  timer: NodeJS.Timeout | undefined;
}

const addressOf = (port: number) => `http://127.0.0.1:${port}`;
const keyOf = ({ agentName, instanceId }: FleetMember) => `${agentName}/${instanceId}`;
const pathOf = ({ agentName, instanceId }: FleetMember) =>
  `/api/v1/agents/${agentName}/instances/${instanceId}`;

async function send(
  service: string,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = text === '' ? {} : { 'content-type': 'application/json', 'content-length': text.length };
  const call = request(service + path, { method, agent: connections, headers });
  call.end(text);
  const [answer] = await once(call, 'response');
  let received = '';
  for await (const chunk of answer) received += chunk;
  if (answer.statusCode >= 300) counts.refused += 1;
  return JSON.parse(received || '{}');
}

async function listen(running: Running): Promise<void> {
  running.server = createServer((_, response) => {
    counts.probes += 1;
    response.setHeader('content-type', 'application/json');
    response.end('{"result":null}');
  });
  running.server.listen(running.port, '127.0.0.1');
  try {
    await once(running.server, 'listening');
  } catch {
    // Its old port was given to somebody else meanwhile.
    running.server.listen(0, '127.0.0.1');
    await once(running.server, 'listening');
  }
  running.port = (running.server.address() as AddressInfo).port;
}

async function register(running: Running): Promise<void> {
  const { member, service, port } = running;
  running.incarnation = Math.max(Date.now(), running.incarnation + 1);
  running.seq = 0;
  const body = { address: addressOf(port), incarnation: running.incarnation };
  const { next_heartbeat_ms: nextMs } = await send(service, 'PUT', pathOf(member), body);
  beatAfter(running, Number(nextMs));
}

function beatAfter(running: Running, delayMs: number): void {
  running.timer = setTimeout(() => {
    running.seq += 1;
    counts.beats += 1;
    const { seq, incarnation, member, service } = running;
    const beat = { state: 'up', pending: 0, load: 0, seq, sent_at: Date.now(), incarnation };
    send(service, 'POST', `${pathOf(member)}/heartbeat`, beat).then(
      ({ next_heartbeat_ms: nextMs }) => {
        if (running.timer !== undefined) beatAfter(running, Number(nextMs ?? delayMs));
      },
      () => {
        counts.refused += 1;
        if (running.timer !== undefined) beatAfter(running, delayMs);
      },
    );
  }, delayMs);
}

function silence(running: Running): void {
  clearTimeout(running.timer);
  running.timer = undefined;
  running.server.close();
  running.server.closeAllConnections();
}

async function forAll(members: readonly FleetMember[], work: (member: FleetMember) => Promise<void> | void) {
  const left = members.values();
  const worker = async () => {
    for (const member of left) await work(member);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

function runningOf(member: FleetMember): Running {
  const running = fleet.get(keyOf(member));
  if (running === undefined) throw new Error(`${keyOf(member)} is not in the fleet.`);
  return running;
}

async function carryOut(order: FleetOrder): Promise<void> {
  if (order.kind === 'count') return;
  if (order.kind === 'join') {
    await forAll(order.members, async (member) => {
      const server = createServer();
      const running = { member, service: order.service, server, port: 0, incarnation: 0, seq: 0 };
      const joined: Running = { ...running, timer: undefined };
      fleet.set(keyOf(member), joined);
      await listen(joined);
      await register(joined);
    });
    return;
  }
  await forAll(order.members, async (member) => {
    const running = runningOf(member);
    if (order.kind === 'restart') {
      await listen(running);
      await register(running);
      return;
    }
    silence(running);
    if (order.kind === 'move') {
      running.port = 0;
      await listen(running);
      await register(running);
    }
    if (order.kind === 'leave') await send(running.service, 'DELETE', pathOf(member));
  });
}

function addressesOf(order: FleetOrder): string[] {
  return order.kind === 'count' ? [] : order.members.map((member) => addressOf(runningOf(member).port));
}

process.on('message', async (order: FleetOrder) => {
  const answer = await carryOut(order).then(
    (): FleetAnswer => ({ ...counts, addresses: addressesOf(order) }),
    (error: unknown): FleetAnswer => ({ error: String(error) }),
  );
  process.send?.(answer);
});
process.on('disconnect', () => process.exit(0));
