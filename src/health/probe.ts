import type { InstanceName } from '../registry/instance.js';

/** How long a probe may take, in ms; a longer one has failed. */
export const PROBE_TIMEOUT_MS = 2_000;

/** Each interval is longer or shorter by up to this share, by chance, so that probes do not fall into step. */
export const PROBE_JITTER = 0.1;

/** What is probed, and how often. */
export interface ProbeTarget extends InstanceName {
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

/** Whoever probes. Told synchronously what there is to probe; must not throw. */
export interface ProbeFollower {
  /** A target came, or its URL or interval changed. What a probe of the URL before comes to is not to be told any more. */
  probe(target: ProbeTarget): void;
  /** Probe it once now, and not only when it is due: a call could not reach it. */
  probeNow(agentName: string, instanceId: string): void;
  /** There is nothing to probe any more. */
  forget(agentName: string, instanceId: string): void;
}

/** Asks a health endpoint once, within `PROBE_TIMEOUT_MS`. */
export interface ProbeClient {
  /** Never rejects. */
  probe(url: string): Promise<ProbeResult>;
  /** Takes nothing new and ends what runs. */
  close(): void;
}

/** Whoever is told what probes come to. Must not throw. */
export interface ProbeObserver {
  /** Only what counts: no fault that is taken to be ours. */
  probed(agentName: string, instanceId: string, result: ProbeResult): void;
  /** Once for every change between `ok` and `degraded`. */
  reachabilityChanged(report: ReachabilityReport): void;
}

/** How all that is probed can be reached. */
export interface ReachabilityReport {
  readonly state: 'ok' | 'degraded';
  /** One sentence with figures. */
  readonly detail: string;
}
