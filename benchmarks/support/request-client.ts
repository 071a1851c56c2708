import { setTimeout as sleep } from 'node:timers/promises';
import type { DispatchAnswerWire, DispatchRequestWire } from '../../src/wire/dispatch.js';
import { readEventBlocks } from '../../src/wire/event-blocks.js';
import type { RequestStatusWire } from '../../src/wire/requests.js';

const POLL_MS = 100;

/** What a request was answered: what it asked for, or the code of the problem in its place. */
type Answered<Body> = { readonly body: Body } | { readonly code: string };

/** One event of a request. */
export interface ToldEvent {
  readonly event: string;
  readonly data: unknown;
}

/** A caller of a service that sends requests and looks at what became of them. */
export class RequestClient {
  readonly #url: string;

  /** `service`: like http://127.0.0.1:8080 */
  constructor(service: string) {
    this.#url = service;
  }

  /** Waits for the answer. */
  dispatch(request: DispatchRequestWire): Promise<Answered<DispatchAnswerWire>> {
    return this.#post(request, {});
  }

  /** Waits until the service has taken it. */
  dispatchLater(request: DispatchRequestWire): Promise<Answered<RequestStatusWire>> {
    return this.#post(request, { prefer: 'respond-async' });
  }

  /** Looks until the request has ended. @throws Error where it has not in time, or is not known */
  async ended(requestId: string, patienceMs: number): Promise<RequestStatusWire> {
    const end = performance.now() + patienceMs;
    for (;;) {
      const seen = await read<RequestStatusWire>(await fetch(this.#urlOf(requestId)));
      if ('code' in seen) throw new Error(`the service answered ${seen.code}`);
      if (seen.body.answer !== null) return seen.body;
      if (performance.now() > end) throw new Error(`it is still ${seen.body.state}`);
      await sleep(POLL_MS);
    }
  }

  /** All that a request tells, until it has ended. */
  async events(requestId: string): Promise<ToldEvent[]> {
    const { body } = await fetch(`${this.#urlOf(requestId)}/events`);
    const events: ToldEvent[] = [];
    if (body === null) return events;
    for await (const { event, data } of readEventBlocks(body)) {
      if (data !== undefined) events.push({ event, data: JSON.parse(data) });
    }
    return events;
  }

  #urlOf(requestId: string): string {
    return `${this.#url}/api/v1/requests/${requestId}`;
  }

  async #post<Body>(request: object, headers: Record<string, string>): Promise<Answered<Body>> {
    const answer = await fetch(`${this.#url}/api/v1/dispatch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(request),
    });
    return read(answer);
  }
}

async function read<Body>(answer: Response): Promise<Answered<Body>> {
  const body = JSON.parse(await answer.text());
  return answer.ok ? { body } : { code: body.code };
}
