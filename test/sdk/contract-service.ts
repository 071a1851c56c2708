import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

type Body = Readonly<Record<string, unknown>>;

/** A call that came, with the status that it was answered with. */
export interface SeenCall {
  readonly method: string;
  /** Without `/api/v1`. */
  readonly path: string;
  readonly body: Body;
  /** `performance.now()`. */
  readonly at: number;
  readonly status: number;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

const FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  'PUT instance': new Set([
    'address',
    'health_address',
    'weight',
    'region',
    'labels',
    'version',
    'incarnation',
    'draining',
  ]),
  'POST heartbeat': new Set(['state', 'pending', 'load', 'seq', 'sent_at', 'incarnation']),
  'POST drain': new Set(['incarnation']),
  'DELETE instance': new Set(['incarnation']),
};

/** Problem details as the service gives them. */
export function problem(status: number, code: string): Answer {
  return { status, body: { type: 'about:blank', title: code, status, code, detail: `${code}.`, errors: [] } };
}

const INTERVAL_MS = 50;

/** The instances' part of a service as docs/architecture.md has it, which refuses every field that is not there. */
export class ContractService {
  readonly calls: SeenCall[] = [];
  /** Given with the next beat, once. */
  commands: string[] = [];
  /** Answers that stand in for its own, by `METHOD kind`. */
  readonly overrides = new Map<string, Answer>();
  /** `Retry-After` of its 503s, in seconds. */
  retryAfterS: number | undefined;
  /** The interval that is asked for. */
  intervalMs = INTERVAL_MS;
  readonly #instances = new Map<string, { incarnation: number; seq: number }>();
  #server: Server | undefined;
  #port = 0;

  /** Opens it on a free port, or where it was before. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#serve(request, response));
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
  }

  /** Nobody answers there any more. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** It knows of no instance any more. */
  forget(): void {
    this.#instances.clear();
  }

  /** The calls of a kind, such as `POST heartbeat`. */
  seen(kind: string): SeenCall[] {
    return this.calls.filter(({ method, path }) => kindOf(method, path) === kind);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '' } = request;
    const { pathname, searchParams } = new URL(url, this.url);
    const path = pathname.replace('/api/v1', '');
    const body = { ...(await bodyOf(request)), ...Object.fromEntries(searchParams) };
    const { status, body: answer } = this.#answer(method, path, body);
    this.calls.push({ method, path, body, at: performance.now(), status });
    if (status >= 500 && this.retryAfterS !== undefined) response.setHeader('retry-after', this.retryAfterS);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answer(method: string, path: string, body: Body): Answer {
    const kind = kindOf(method, path);
    const [, name, id] = /^\/agents\/([^/]+)(?:\/instances\/([^/]+))?/.exec(path) ?? [];
    const override = this.overrides.get(kind);
    if (override !== undefined) return override;
    if (kind === 'PUT manifest') return { status: 200, body: { agent_name: name, manifest_version: 1 } };
    const fields = FIELDS[kind];
    if (fields === undefined) return problem(404, 'NOT_FOUND');
    if (Object.keys(body).some((field) => !fields.has(field))) return problem(422, 'INVALID_REQUEST');
    return this.#answerInstance(kind, `${name}/${id}`, body);
  }

  #answerInstance(kind: string, key: string, body: Body): Answer {
    const [agent_name, instance_id] = key.split('/');
    const known = this.#instances.get(key);
    const interval = { next_heartbeat_ms: this.intervalMs, lease_ms: 15_000 };
    if (kind === 'PUT instance') {
      const incarnation = Number(body.incarnation);
      if (known !== undefined && incarnation < known.incarnation) return problem(409, 'INSTANCE_REPLACED');
      this.#instances.set(key, { incarnation, seq: 0 });
      return { status: 200, body: { agent_name, instance_id, addr_version: 1, ...interval } };
    }
    if (known === undefined) return problem(404, 'INSTANCE_UNKNOWN');
    if (Number(body.incarnation) < known.incarnation) return problem(409, 'INSTANCE_REPLACED');
    if (kind === 'POST heartbeat') {
      if (Number(body.seq) <= known.seq) return problem(409, 'HEARTBEAT_STALE');
      known.seq = Number(body.seq);
      return { status: 200, body: { ...interval, commands: this.commands } };
    }
    if (kind === 'DELETE instance') this.#instances.delete(key);
    return { status: 200, body: { agent_name, instance_id } };
  }
}

function kindOf(method: string, path: string): string {
  if (/^\/agents\/[^/]+\/instances\/[^/]+$/.test(path)) return `${method} instance`;
  return `${method} ${path.split('/').at(-1)}`;
}

async function bodyOf(request: IncomingMessage): Promise<Body> {
  return request.headers['content-type'] === undefined ? {} : ((await json(request)) as Body);
}

/** A running service for one test. */
export async function contractService(): Promise<ContractService> {
  const service = new ContractService();
  await service.start();
  onTestFinished(() => service.stop());
  return service;
}
