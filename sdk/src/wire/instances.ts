/** What an instance says of itself when it registers. */
export interface Registration {
  readonly address: string;
  /** Its share of the work among its siblings, 0..10,000. */
  readonly weight?: number | undefined;
  readonly region?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly version?: string | undefined;
  /** When its program started, in ms since the epoch: the later one replaces the earlier one of the same id. */
  readonly incarnation: number;
  /** It takes nothing new from the beginning. */
  readonly draining?: boolean;
}

/** What an instance says of itself with a beat. */
export interface Heartbeat {
  readonly state: 'up' | 'paused' | 'draining';
  readonly pending: number;
  /** 0..1. */
  readonly load: number;
  /** Grows with every beat of an incarnation. */
  readonly seq: number;
  readonly incarnation: number;
}

/** What a registration and a beat are answered with; only that of a beat has commands. */
export interface HeartbeatAnswer {
  readonly nextHeartbeatMs: number;
  readonly leaseMs: number;
  readonly commands?: readonly ('pause' | 'resume')[];
}
