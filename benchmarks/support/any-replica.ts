import { setTimeout as sleep } from 'node:timers/promises';

const AGAIN_MS = 200;
/** No answer of a service takes longer, whatever happens to it. */
const ANSWER_PATIENCE_MS = 30_000;

export interface ReplicaAnswer {
  readonly status: number;
  // What a door answers is looked at field by field.
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

export interface ReplicaCall {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Calls any of several replicas, as a balancer would choose one that it does not know to be down yet. */
export class AnyReplica {
  readonly #urls: readonly string[];
  readonly #random: () => number;

  constructor(urls: readonly string[], random: () => number) {
    this.#urls = urls;
    this.#random = random;
  }

  /** What one replica tells as a stream. @throws Error where it does not */
  async stream(path: string): Promise<ReadableStream<Uint8Array>> {
    const { ok, status, body } = await fetch(this.#anyUrl() + path);
    if (!ok || body === null) throw new Error(`${path} was answered ${status}`);
    return body;
  }

  /** One call of one replica. Undefined: its connection was lost, and nobody knows whether it counted. */
  async once({ method = 'GET', path, headers = {}, body }: ReplicaCall): Promise<ReplicaAnswer | undefined> {
    try {
      const answer = await fetch(this.#anyUrl() + path, {
        method,
        signal: AbortSignal.timeout(ANSWER_PATIENCE_MS),
        ...(body === undefined
          ? { headers }
          : { headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }),
      });
      return { status: answer.status, body: JSON.parse(await answer.text()), headers: answer.headers };
    } catch {
      return undefined;
    }
  }

  /**
   * The same call of one after the other, until one neither loses it nor says that it may be tried again (503, 504): for
   * what may be sent twice. @throws Error where that takes longer than `patienceMs`
   */
  async until(call: ReplicaCall, patienceMs: number): Promise<ReplicaAnswer> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const answer = await this.once(call);
      if (answer !== undefined && answer.status !== 503 && answer.status !== 504) return answer;
      if (performance.now() > end) {
        const last = answer === undefined ? 'lost' : `${answer.status} ${answer.body.code}`;
        throw new Error(`${call.method ?? 'GET'} ${call.path} was ${last} for ${patienceMs} ms`);
      }
      await sleep(AGAIN_MS);
    }
  }

  #anyUrl(): string {
    return this.#urls[Math.floor(this.#random() * this.#urls.length)] ?? '';
  }
}
