import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

// Instances of agents that do as the payload says, forked by WorkAgents: each has a port of its own. They write down
// what they carried out, so that what happened can be judged from their side.

/** What is to be done, as the payload of a call. */
export interface Work {
  readonly work_ms: number;
  /** Answered at once when it is done, as a stream that begins at once, or taken with a 202 and answered later. */
  readonly way: 'plain' | 'stream' | 'later';
}

export type WorkOrder =
  /** Opens so many ports. `logged`: what they carry out is written down. */
  | { readonly kind: 'open'; readonly instances: number; readonly logged: boolean }
  /** From now on every call is answered with 500 at once, or no longer. */
  | { readonly kind: 'sick'; readonly sick: boolean }
  /** Gives the log. */
  | { readonly kind: 'log' };

/** Work that an instance has begun. */
export interface Execution {
  readonly requestId: string;
  readonly attempt: number;
  readonly capabilityId: string;
  readonly way: Work['way'];
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
  /** Its head or a 202 was sent. */
  acknowledged: boolean;
  /** It was done, whether or not anybody heard of it. */
  done: boolean;
}

export interface WorkReport {
  readonly ports: readonly number[];
  readonly executions: readonly Execution[];
}

interface Call {
  readonly request_id: string;
  readonly capability_id: string;
  readonly payload: Work;
  readonly reply_to: string | null;
}

const JSON_TYPE = { 'content-type': 'application/json' };
const REPLY_PATIENCE_MS = 120_000;
const REPLY_EVERY_MS = 200;

const ports: number[] = [];
const executions: Execution[] = [];
let logged = false;
let sick = false;

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
}

function begun({ request_id, capability_id, payload }: Call, headers: IncomingHttpHeaders): Execution {
  const execution = {
    requestId: request_id,
    attempt: Number(headers['x-reach-attempt']),
    capabilityId: capability_id,
    way: payload.way,
    atMs: Date.now(),
    acknowledged: false,
    done: false,
  };
  if (logged) executions.push(execution);
  return execution;
}

const eventText = (event: string, data: unknown) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Says what became of work that was taken for later, again and again until somebody listens. */
async function reply(url: string, result: unknown): Promise<void> {
  const end = performance.now() + REPLY_PATIENCE_MS;
  const body = JSON.stringify({ state: 'completed', result });
  while (performance.now() < end) {
    const answer = await fetch(url, { method: 'POST', headers: JSON_TYPE, body }).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer !== undefined && answer.status < 500) return;
    await sleep(REPLY_EVERY_MS);
  }
}

async function carryOut(call: Call, execution: Execution, response: ServerResponse): Promise<void> {
  const { work_ms, way } = call.payload;
  const result = { work_ms };
  if (way === 'stream') {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(eventText('progress', { done: 0 }));
  }
  if (way === 'later') response.writeHead(202, JSON_TYPE).end('{}');
  execution.acknowledged = way !== 'plain';
  if (work_ms > 0) await sleep(work_ms);
  execution.done = true;
  if (way === 'plain') response.writeHead(200, JSON_TYPE).end(JSON.stringify({ result }));
  if (way === 'stream') response.end(eventText('result', { result }));
  if (way === 'later' && call.reply_to !== null) await reply(call.reply_to, result);
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const text = await textOf(request);
  if (request.url !== '/execute') {
    response.writeHead(200, JSON_TYPE).end('{}');
    return;
  }
  if (sick) {
    response.writeHead(500, JSON_TYPE).end('{}');
    return;
  }
  const call: Call = JSON.parse(text);
  await carryOut(call, begun(call, request.headers), response);
}

async function open(instances: number): Promise<void> {
  for (let opened = 0; opened < instances; opened += 1) {
    const server = createServer((request, response) => {
      // A caller that hangs up in the middle of its request has asked for nothing.
      answer(request, response).catch(() => response.destroy());
    });
    // The callers' side decides how long connections are kept.
    server.keepAliveTimeout = 60_000;
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 });
    await once(server, 'listening');
    ports.push((server.address() as AddressInfo).port);
  }
}

process.on('message', async (order: WorkOrder) => {
  if (order.kind === 'open') {
    logged = order.logged;
    await open(order.instances);
  }
  if (order.kind === 'sick') sick = order.sick;
  const report: WorkReport = { ports, executions: order.kind === 'log' ? executions : [] };
  process.send?.(report);
});
process.on('disconnect', () => process.exit(0));
