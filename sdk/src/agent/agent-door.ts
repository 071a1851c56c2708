import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ManifestDocument } from '../wire/manifest.js';
import type { Executions } from './executions.js';
import { type HttpAnswer, sendAnswer } from './http-answer.js';
import { HttpCaller } from './http-caller.js';
import type { LateReplies } from './late-replies.js';
import { type AnswerWays, readAnswerWays, readTask, type TaskCall } from './read-task.js';
import { Refusal } from './refusal.js';
import { readRequestBody } from './request-body.js';
import type { WorkCount } from './work-count.js';

/** How long a request may take to arrive; a connection that dawdles longer is closed. */
const REQUEST_TIMEOUT_MS = 30_000;
const PROBE_PATH = '/probe';
const CANCEL_PATH = '/cancel';
const MAX_ID_CHARS = 256;

interface AgentDoorOptions {
  readonly manifest: ManifestDocument;
  readonly executions: Executions;
  readonly lateReplies: LateReplies;
  readonly work: WorkCount;
  /** Why nothing new is taken at this moment; undefined where it is. */
  readonly refused: () => Refusal | undefined;
  /** What `POST /probe` tells beside the trace id. */
  readonly probed: () => object;
  readonly onFailure: (error: unknown) => void;
}

const pathOf = (url: string) => url.split('?', 1)[0] ?? '';

/** A server that listens and does not answer yet. Rejects with the code `EADDRINUSE` where the port is taken. */
export function listenOn(port: number, host: string): Promise<Server> {
  const server = createServer();
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

/** The HTTP endpoints of an agent: execute, health, probe and cancel. */
export class AgentDoor {
  readonly #server: Server;
  readonly #options: AgentDoorOptions;
  readonly #executePath: string;
  readonly #healthPath: string;
  readonly #deadlines: ReadonlyMap<string, number | undefined>;

  constructor(server: Server, options: AgentDoorOptions) {
    const { execute_endpoint = '/execute', health_endpoint = '/healthz', capabilities } = options.manifest;
    this.#server = server;
    this.#options = options;
    this.#executePath = pathOf(execute_endpoint);
    this.#healthPath = pathOf(health_endpoint);
    this.#deadlines = new Map(capabilities.map(({ id, deadline_ms }) => [id, deadline_ms]));
    server.on('request', (request, response) => void this.#serve(request, response));
  }

  /** Takes nothing any more and cuts off what is still open. */
  close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#server.closeAllConnections();
    return closed;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // Who has gone away before the answer is no fault of ours.
    response.on('error', () => {});
    try {
      const answer = await this.#answer(request, response);
      if (answer !== undefined) sendAnswer(response, answer);
    } catch (error) {
      sendAnswer(response, this.#refusalOf(error));
    }
  }

  #refusalOf(error: unknown): HttpAnswer {
    if (!(error instanceof Refusal)) this.#options.onFailure(error);
    const refusal =
      error instanceof Refusal ? error : new Refusal('INTERNAL', 'The agent could not compute an answer.');
    const { problem, retryAfterS } = refusal;
    return { status: problem.status, body: JSON.stringify(problem), retryAfterS };
  }

  /** Undefined where it was answered on the way. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer | undefined> {
    const path = pathOf(request.url ?? '');
    if (path === this.#executePath) {
      requireMethod(request, 'POST');
      return this.#execute(request, response);
    }
    if (path === this.#healthPath) {
      requireMethod(request, 'GET');
      return { status: 200, body: JSON.stringify({ status: 'ok' }) };
    }
    if (path === PROBE_PATH) {
      requireMethod(request, 'POST');
      const traceId = textField(await readRequestBody(request), 'trace_id');
      return { status: 200, body: JSON.stringify({ trace_id: traceId, ...this.#options.probed() }) };
    }
    if (path === CANCEL_PATH) {
      requireMethod(request, 'POST');
      const requestId = textField(await readRequestBody(request), 'request_id');
      const cancelled = this.#options.executions.cancel(requestId);
      return { status: 200, body: JSON.stringify({ request_id: requestId, cancelled }) };
    }
    throw new Refusal('NOT_FOUND', `There is nothing at ${path}.`);
  }

  /** What arrives before a pause or a drain is still done, however long its body takes. */
  async #execute(request: IncomingMessage, response: ServerResponse): Promise<undefined> {
    const { executions, work, refused } = this.#options;
    const refusal = refused();
    response.once('close', work.begin());
    const body = await readRequestBody(request);
    const deadlineMs = (capabilityId: string) => this.#deadlines.get(capabilityId);
    const call = readTask(body, request.headers, deadlineMs);
    const caller = this.#callerOf(call, readAnswerWays(body, request.headers), response);
    const executed = executions.execute(call, caller, refusal);
    const answer = await executed.catch((error) => this.#refusalOf(error));
    if (answer !== undefined) caller.answer(answer);
  }

  #callerOf(call: TaskCall, { stream, replyTo }: AnswerWays, response: ServerResponse): HttpCaller {
    const { executions, lateReplies } = this.#options;
    const deadline = performance.now() + call.timeoutMs;
    return new HttpCaller(response, {
      deadline,
      acceptsStream: stream,
      takeForLater: () =>
        replyTo !== undefined &&
        lateReplies.owe(replyTo, deadline, (waiter) => executions.execute(call, waiter, undefined)),
    });
  }
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method !== method) {
    throw new Refusal('METHOD_NOT_ALLOWED', `Expected ${method}, received ${request.method}.`);
  }
}

/** @throws Refusal MALFORMED_REQUEST */
function textField(body: unknown, name: string): string {
  const { [name]: value } = (body ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof value === 'string' && value.length <= MAX_ID_CHARS) return value;
  throw new Refusal('MALFORMED_REQUEST', `/${name}: expected a string of at most ${MAX_ID_CHARS} characters`);
}
