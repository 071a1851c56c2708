import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { asReachError, describe, ReachError, sentenceOf } from '../errors.js';
import { isObject } from '../wire/json-object.js';
import { problemOf } from '../wire/problem-of.js';
import type { AgentProgram } from './agent-program.js';
import { readRequestBody } from './request-body.js';

const HOST = '127.0.0.1';
const EXECUTE_PATH = '/execute';
const HEALTH_PATH = '/healthz';
/** How long a request may take to arrive; a connection that dawdles longer is closed. */
const REQUEST_TIMEOUT_MS = 30_000;
/** How long running requests may go on once the server is told to close. */
const DRAIN_MS = 3_000;

/** An agent that can be called over HTTP. */
export interface AgentServer {
  readonly port: number;
  /** Takes no new connections, lets running requests end, and cuts off what is still open after 3 s. */
  close(): Promise<void>;
}

/**
 * Serves an agent on 127.0.0.1: `POST /execute` and `GET /healthz`, as docs/architecture.md has it under
 * "Wire to an agent". Port 0 takes any free one.
 * @throws ReachError PORT_TAKEN
 */
export async function serveAgent(
  agentName: string,
  program: AgentProgram,
  port: number,
): Promise<AgentServer> {
  const server = createServer((request, response) => {
    answer(program, request).then(
      (body) => send(response, 200, body),
      (error: unknown) => sendProblem(response, asReachError(error)),
    );
  });
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  await listening(server, agentName, port);
  let closing: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      closing ??= drained(server);
      return closing;
    },
  };
}

/** The body of the answer to a request. */
async function answer(program: AgentProgram, request: IncomingMessage): Promise<string> {
  const path = request.url?.split('?', 1)[0];
  if (path === HEALTH_PATH) {
    requireMethod(request, 'GET');
    return JSON.stringify({ status: 'ok' });
  }
  if (path !== EXECUTE_PATH) throw new ReachError('NOT_FOUND', `There is nothing at ${path}.`);
  requireMethod(request, 'POST');
  const call = readCall(await readRequestBody(request));
  const execute = program.get(call.capabilityId);
  if (execute === undefined) {
    throw new ReachError('CAPABILITY_UNKNOWN', `This agent has no capability ${call.capabilityId}.`);
  }
  const { result, reply, needHumanHandoff } = execute({ intent: call.intent, payload: call.payload });
  return JSON.stringify({ result, reply, need_human_handoff: needHumanHandoff });
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method !== method) {
    throw new ReachError('METHOD_NOT_ALLOWED', `Expected ${method}, received ${request.method}.`);
  }
}

/** The part of a call's body that an agent needs; the rest (lane, session, reply_to) is not looked at. */
function readCall(body: unknown) {
  const { capability_id: capabilityId, intent, payload } = isObject(body) ? body : {};
  if (typeof capabilityId !== 'string') throw malformed('/capability_id', 'a string', capabilityId);
  if (!isNothing(intent) && typeof intent !== 'string') throw malformed('/intent', 'a string', intent);
  if (!isNothing(payload) && !isObject(payload)) throw malformed('/payload', 'an object', payload);
  return { capabilityId, intent: intent ?? '', payload: payload ?? null };
}

function malformed(pointer: string, expected: string, value: unknown): ReachError {
  const errors = [{ pointer, expected, received: describe(value) }];
  return new ReachError('MALFORMED_REQUEST', sentenceOf(errors), { errors });
}

function sendProblem(response: ServerResponse, error: ReachError): void {
  if (error.code !== 'INTERNAL') {
    send(response, error.status, JSON.stringify(problemOf(error)));
    return;
  }
  // What went wrong inside is for the agent's log, not for its callers.
  process.stderr.write(`${error.message}\n`);
  const told = new ReachError('INTERNAL', 'The agent could not compute an answer.');
  send(response, told.status, JSON.stringify(problemOf(told)));
}

function send(response: ServerResponse, status: number, body: string): void {
  const bytes = Buffer.from(body);
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}

function listening(server: Server, agentName: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new ReachError(
              'PORT_TAKEN',
              `The agent ${agentName} cannot listen on port ${port}, which its manifest names: it is already in use. Stop what listens there, or start with --manifests and a copy that names other ports.`,
            )
          : error,
      );
    });
    server.listen(port, HOST, resolve);
  });
}

async function drained(server: Server): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  clearTimeout(cutOff);
}

function isNothing(value: unknown): value is undefined | null {
  return value === undefined || value === null;
}
