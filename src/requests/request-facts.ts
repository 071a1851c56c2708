import type { DispatchRequest, Lane } from '../wire/dispatch.js';
import type { RequestLife } from './request-life.js';

/** What a request is from the first on. */
export interface RequestFacts {
  readonly requestId: string;
  /** SHA-256 of the request without its id; undefined: it is known only as long as it runs. */
  readonly bodyHash: string | undefined;
  readonly mode: RequestLife['mode'];
  readonly lane: Lane;
  readonly request: DispatchRequest;
  readonly traceparent: string | undefined;
  readonly acceptedAtMs: number;
}
