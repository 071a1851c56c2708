import { setTimeout as sleep } from 'node:timers/promises';
import { seededRandom } from '../../src/evaluation/seeded-random.js';
import type { DispatchRequestWire } from '../../src/wire/dispatch.js';
import { RequestClient } from './request-client.js';
import type { SeenRequest } from './request-end-judge.js';
import { seenEnd } from './seen-end.js';
import { INTENTS, type WorkCapability } from './work-manifests.js';

const REQUESTS_A_SECOND = 60;
const MOST_WORK_MS = 100;
const EXECUTE_MS = 3_000;
/** All budgets of a request, and room for a busy machine. */
const PATIENCE_MS = 60_000;
const CAPABILITIES: readonly WorkCapability[] = ['read', 'write'];
const WAYS = ['plain', 'plain', 'stream', 'later'] as const;

/** Callers that send requests of every kind, in turn by chance, and look how each ended. */
export class ChaosCallers {
  readonly #client: RequestClient;
  readonly #agents: readonly string[];
  readonly #random = seededRandom(7);

  constructor(service: string, agents: readonly string[]) {
    this.#client = new RequestClient(service);
    this.#agents = agents;
  }

  /** Resolves when the last one has ended. */
  async sendFor(seconds: number): Promise<SeenRequest[]> {
    const running: Promise<SeenRequest>[] = [];
    const startedAt = performance.now();
    for (let sent = 0; sent < seconds * REQUESTS_A_SECOND; sent += 1) {
      const dueMs = (sent * 1_000) / REQUESTS_A_SECOND - (performance.now() - startedAt);
      if (dueMs > 1) await sleep(dueMs);
      running.push(this.#seen(`chaos-${sent}`));
    }
    return Promise.all(running);
  }

  async #seen(requestId: string): Promise<SeenRequest> {
    const request = { request_id: requestId, ...this.#anyRequest() };
    const waits = this.#random() < 0.5;
    const sent = waits ? this.#client.dispatch(request) : this.#client.dispatchLater(request);
    const answered = await sent.catch((error: unknown) => ({ code: String(error) }));
    if ('code' in answered) return { kind: 'lost', requestId, problem: answered.code };
    return seenEnd(this.#client, requestId, PATIENCE_MS, waits ? answered.body.state : undefined);
  }

  /** Half of them name who shall do it, half go to whoever can. */
  #anyRequest(): DispatchRequestWire {
    const capability = this.#oneOf(CAPABILITIES);
    const payload = { work_ms: Math.round(this.#random() * MOST_WORK_MS), way: this.#oneOf(WAYS) };
    const named = { agent_name: this.#oneOf(this.#agents), capability_id: capability };
    return {
      ...(this.#random() < 0.5 ? named : { intent: INTENTS[capability] }),
      payload,
      deadlines: { execute_ms: EXECUTE_MS },
    };
  }

  #oneOf<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.#random() * items.length)] as Item;
  }
}
