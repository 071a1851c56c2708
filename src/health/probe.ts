/** What is probed, and how often. */
export interface ProbeTarget {
  readonly agentName: string;
  readonly instanceId: string;
  /** The whole URL of its health endpoint. */
  readonly url: string;
  /** Mean time between two probes in ms. */
  readonly everyMs: number;
}

/** What one probe came to. */
export type ProbeResult =
  | { readonly kind: 'ok'; readonly rttMs: number }
  /** Answered 401 or 403: it lives, and a login is missing. */
  | { readonly kind: 'needs_auth'; readonly detail: string }
  /** `network`: no connection, or none that gave an answer in time; `answer`: it answered, and not well. */
  | { readonly kind: 'failed'; readonly by: 'network' | 'answer'; readonly detail: string };
