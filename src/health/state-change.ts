import type { InstanceName } from '../registry/instance.js';
import type { InstanceState } from './instance-view.js';

/** One change of an instance's state, as it happened. */
export interface StateChange extends InstanceName {
  /** Wall time in ms since the epoch. */
  readonly atMs: number;
  /** Null: it came. */
  readonly from: InstanceState | null;
  /** Null: it went. */
  readonly to: InstanceState | null;
  /** One short phrase for a person, such as `3 probes failed: connection refused`. */
  readonly reason: string;
  readonly addrVersion: number;
}
