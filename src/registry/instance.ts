/** What tells an instance from all others. */
export interface InstanceName {
  readonly agentName: string;
  readonly instanceId: string;
}

/** The name as one text. Agent names hold no slash, so no two instances have the same. */
export function instanceKey({ agentName, instanceId }: InstanceName): string {
  return `${agentName}/${instanceId}`;
}

/** One running copy of an agent, as it stands in the registry. Immutable: a change makes another one. */
export interface Instance extends InstanceName {
  /** Origin (and optional base path), http or https; one spelling for each, so that an edit is told from a move. */
  readonly address: string;
  /** The whole URL that is probed; undefined: the manifest's health endpoint under the address. */
  readonly healthAddress: string | undefined;
  /** Its share of the work among its siblings, 0..10,000; 0 takes it out of service without removing it. */
  readonly weight: number;
  readonly region: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  /** Of the program that runs there, as it says itself. */
  readonly version: string | undefined;
  /** Grows with every new address of the instance, across its removal and return and across restarts. */
  readonly addrVersion: number;
  /** When its program started, in ms since the epoch, as it says itself; undefined where it does not. */
  readonly incarnation: number | undefined;
  /** Named by the manifest, without a lease, or registered by itself, with one. */
  readonly origin: 'manifest' | 'registered';
  /** It finishes what it has and takes nothing new. */
  readonly draining: boolean;
}

/** Why an instance went: by itself, its lease over for long, another one in its place, or out of its manifest. */
export type LeaveReason = 'left' | 'expired' | 'replaced' | 'removed';

/** One change of who exists. */
export type InstanceChange =
  /** `startsDown`: it was there before and may not be any more; probes are to say that it is. */
  | { readonly kind: 'joined'; readonly instance: Instance; readonly startsDown: boolean }
  /** `restarted`: a new address or a higher incarnation, so that nothing that was known of it holds any more. */
  | { readonly kind: 'changed'; readonly instance: Instance; readonly restarted: boolean }
  | { readonly kind: 'left'; readonly instance: Instance; readonly reason: LeaveReason };

/** What an instance says of itself with a heartbeat. */
export interface InstanceReport {
  readonly state: 'up' | 'paused' | 'draining';
  readonly pending: number | undefined;
  /** 0..1. */
  readonly load: number | undefined;
}

/** What an instance is told with the answer to a heartbeat. */
export type InstanceCommand = 'pause' | 'resume';

/** Whoever judges what instances say of themselves. Must not throw. */
export interface HeartbeatListener {
  /** Told of each heartbeat that counts. `fenced`: it is to beat as often as it can, since only its heartbeats say that it lives. */
  heard(
    agentName: string,
    instanceId: string,
    report: InstanceReport,
  ): { readonly commands: readonly InstanceCommand[]; readonly fenced: boolean };
}

/** Whoever keeps something for every instance. Told synchronously with the change; must not throw. */
export interface InstanceFollower {
  /** In the order in which they happened. */
  applyInstances(changes: readonly InstanceChange[]): void;
  /** Its lease is over, or holds again. */
  leaseChanged(agentName: string, instanceId: string, holds: boolean): void;
}
