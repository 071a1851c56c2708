import { httpUrl } from '../http-url.js';
import { fromWire, toWire } from '../wire/codec.js';
import { errorOfProblem, ReachClientError } from './reach-client-error.js';

interface ServiceCall {
  /** In camelCase, unless it is a `document`. */
  readonly body?: object;
  /** A body in wire form, such as a manifest. */
  readonly document?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** The base of all paths of a service. @throws TypeError where the endpoint is no http or https URL. */
export function serviceUrl(endpoint: string): URL {
  const base = endpoint.endsWith('/') ? endpoint : `${endpoint}/`;
  const url = httpUrl(base);
  if (url !== undefined) return url;
  throw new TypeError(`${endpoint} is not the http or https URL of a service.`);
}

/** Calls to the HTTP door of a service: JSON in snake_case there, objects in camelCase here. */
export class ServiceCalls {
  readonly #base: URL;
  readonly #timeoutMs: number;

  /** @throws TypeError where the endpoint is no http or https URL. */
  constructor(endpoint: string, timeoutMs: number) {
    this.#base = serviceUrl(endpoint);
    this.#timeoutMs = timeoutMs;
  }

  /** The answer of one call. `path` begins under `/api/v1/`. @throws ReachClientError; the signal's reason */
  async json<Answer>(method: string, path: string, call: ServiceCall = {}): Promise<Answer> {
    const { signal } = call;
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const init = {
      ...requestOf(method, call),
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    };
    const { response, text } = await this.#received(path, init, signal);
    const answer = jsonOf(text);
    if (!response.ok) throw errorOf(response, answer);
    if (answer === undefined) throw this.#notAService(response.status);
    return fromWire(answer) as Answer;
  }

  /** A stream of events, once the service has begun to answer with one. @throws ReachClientError */
  async stream(method: string, path: string, call: ServiceCall = {}): Promise<AsyncIterable<Uint8Array>> {
    const { signal, headers } = call;
    const request = requestOf(method, { ...call, headers: { ...headers, accept: 'text/event-stream' } });
    const response = await this.#fetched(path, { ...request, signal: signal ?? null }, signal);
    if (!response.ok) throw errorOf(response, jsonOf(await response.text().catch(() => '')));
    if (response.body === null) throw this.#notAService(response.status);
    return response.body;
  }

  async #received(path: string, init: RequestInit, signal: AbortSignal | undefined) {
    const response = await this.#fetched(path, init, signal);
    try {
      return { response, text: await response.text() };
    } catch (cause) {
      throw this.#failure(cause, signal);
    }
  }

  async #fetched(path: string, init: RequestInit, signal: AbortSignal | undefined): Promise<Response> {
    try {
      return await fetch(new URL(`api/v1/${path}`, this.#base), init);
    } catch (cause) {
      throw this.#failure(cause, signal);
    }
  }

  /** What is thrown where the service did not answer, or not to the end. */
  #failure(cause: unknown, signal: AbortSignal | undefined): unknown {
    if (signal?.aborted) return signal.reason;
    const { origin } = this.#base;
    if (cause instanceof Error && cause.name === 'TimeoutError') {
      const detail = `${origin} did not answer within ${this.#timeoutMs} ms.`;
      return new ReachClientError('DEADLINE_EXCEEDED', detail, { cause });
    }
    return new ReachClientError('SERVER_UNREACHABLE', `${origin} cannot be reached.`, { cause });
  }

  #notAService(status: number): ReachClientError {
    const detail = `No Agent-Reach server answers at ${this.#base.origin}.`;
    return new ReachClientError('SERVER_UNREACHABLE', detail, { status });
  }
}

function requestOf(method: string, { body, document, headers }: ServiceCall) {
  const content = document ?? (body && toWire(body));
  if (content === undefined) return { method, headers: { ...headers } };
  return {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(content),
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error of an answer that is none: that of its problem details, or that something else than a service spoke. */
function errorOf({ status, headers, url }: Response, body: unknown): ReachClientError {
  const seconds = headers.get('retry-after')?.trim() ?? '';
  const retryAfterMs = /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined;
  const told = errorOfProblem({ ...(body as object | undefined), status }, retryAfterMs);
  if (told !== undefined) return told;
  const said = `${new URL(url).origin} answered with status ${status}, and not as an Agent-Reach server does.`;
  return new ReachClientError('SERVER_UNREACHABLE', said, { status, retryAfterMs });
}
