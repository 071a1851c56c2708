import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ManifestDocument } from '../wire/manifest.js';
import type { Executions } from './executions.js';
import { readTask } from './read-task.js';
import { Refusal } from './refusal.js';
import { readRequestBody } from './request-body.js';
import type { WorkCount } from './work-count.js';

/** How long a request may take to arrive; a connection that dawdles longer is closed. */
const REQUEST_TIMEOUT_MS = 30_000;
const PROBE_PATH = '/probe';
const MAX_TRACE_ID_CHARS = 256;

interface AgentDoorOptions {
  readonly manifest: ManifestDocument;
  readonly executions: Executions;
  readonly work: WorkCount;
  /** Why nothing new is taken at this moment; undefined where it is. */
  readonly refused: () => Refusal | undefined;
  /** What `POST /probe` tells beside the trace id. */
  readonly probed: () => object;
  readonly onFailure: (error: unknown) => void;
}

interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer | string;
  readonly retryAfterS?: number | undefined;
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

/** The HTTP endpoints of an agent: execute, health and probe. */
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
    send(response, await this.#answer(request, response).catch((error) => this.#refusalOf(error)));
  }

  #refusalOf(error: unknown): HttpAnswer {
    if (!(error instanceof Refusal)) this.#options.onFailure(error);
    const refusal =
      error instanceof Refusal ? error : new Refusal('INTERNAL', 'The agent could not compute an answer.');
    const { problem, retryAfterS } = refusal;
    return { status: problem.status, body: JSON.stringify(problem), retryAfterS };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer> {
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
      return this.#probe(await readRequestBody(request));
    }
    throw new Refusal('NOT_FOUND', `There is nothing at ${path}.`);
  }

  /** What arrives before a pause or a drain is still done, however long its body takes. */
  async #execute(request: IncomingMessage, response: ServerResponse): Promise<HttpAnswer> {
    const { executions, work, refused } = this.#options;
    const refusal = refused();
    response.once('close', work.begin());
    const deadlineMs = (capabilityId: string) => this.#deadlines.get(capabilityId);
    const call = readTask(await readRequestBody(request), request.headers, deadlineMs);
    return executions.execute(call, refusal);
  }

  #probe(body: unknown): HttpAnswer {
    const { trace_id: traceId } = (body ?? {}) as { readonly trace_id?: unknown };
    if (typeof traceId !== 'string' || traceId.length > MAX_TRACE_ID_CHARS) {
      const detail = `/trace_id: expected a string of at most ${MAX_TRACE_ID_CHARS} characters`;
      throw new Refusal('MALFORMED_REQUEST', detail);
    }
    return { status: 200, body: JSON.stringify({ trace_id: traceId, ...this.#options.probed() }) };
  }
}

function requireMethod(request: IncomingMessage, method: string): void {
  if (request.method !== method) {
    throw new Refusal('METHOD_NOT_ALLOWED', `Expected ${method}, received ${request.method}.`);
  }
}

function send(response: ServerResponse, { status, body, retryAfterS }: HttpAnswer): void {
  const bytes = Buffer.from(body);
  const type = status === 200 ? 'application/json' : 'application/problem+json';
  if (retryAfterS !== undefined) response.setHeader('retry-after', retryAfterS);
  response.writeHead(status, { 'content-type': type, 'content-length': bytes.length }).end(bytes);
}
