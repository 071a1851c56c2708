import type { InstanceState } from './instance-view.js';

/** One change of an instance's state, as it happened. */
export interface StateChange {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
  readonly agentName: string;
  readonly instanceId: string;
  /** Null: it came. */
  readonly from: InstanceState | null;
  /** Null: it went. */
  readonly to: InstanceState | null;
  /** One short phrase for a person, such as `3 probes failed: connection refused`. */
  readonly reason: string;
  readonly addrVersion: number;
}
