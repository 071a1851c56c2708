import type { Clock } from '../clock.js';
import { asReachError } from '../errors.js';
import type { Callbacks } from './callbacks.js';
import { toldStatus } from './request-status.js';
import type { RequestStore, StoredRequest } from './request-store.js';

/** Until an end that could not be handed on is tried again, in ms. */
const RETRY_MS = 5_000;

export interface EndTellerParts {
  readonly callbacks: Callbacks | undefined;
  readonly store: RequestStore;
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/** Sees to it that whoever gave a `callbackUrl` is told of the end; what is still due is found by the next start. */
export class EndTeller {
  readonly #parts: EndTellerParts;
  #isClosed = false;

  constructor(parts: EndTellerParts) {
    this.#parts = parts;
  }

  /** Never rejects. */
  async tell(request: StoredRequest): Promise<void> {
    const { callbacks, store, team, clock, report } = this.#parts;
    const { callbackUrl } = request.request;
    if (!request.callbackDue || callbackUrl === undefined || callbacks === undefined || this.#isClosed)
      return;
    try {
      await callbacks.tellEnd(callbackUrl, toldStatus(request, null));
      await store.save(team, { ...request, callbackDue: false, revision: request.revision + 1 });
    } catch (thrown) {
      report(`The end of ${request.requestId} cannot be handed on: ${asReachError(thrown).message}`);
      clock.after(RETRY_MS, () => void this.tell(request));
    }
  }

  close(): void {
    this.#isClosed = true;
  }
}
