import type { Clock } from '../clock.js';
import type { MessageBus } from '../cluster/message-bus.js';
import type { Shares } from '../cluster/shares.js';
import { asReachError } from '../errors.js';
import { isObject } from '../wire/json-object.js';
import { type InstanceName, type InstanceReport, instanceKey } from './instance.js';
import type { LeaseStore, NotedLease } from './lease-store.js';
import type { HeartbeatOrder } from './registered-instance.js';

const TOPIC = 'leases';
/** How long granted leases are gathered before they are noted, in ms. */
const NOTED_EVERY_MS = 200;
/** Until they are noted again after a failure, in ms. */
const AGAIN_MS = 500;

/** A lease that was granted, and the heartbeat for which it was; a registration has none. */
export interface GrantedLease extends NotedLease {
  readonly incarnation: number | undefined;
  readonly heartbeat: (HeartbeatOrder & { readonly report: InstanceReport }) | undefined;
}

export interface SharedLeasesParts {
  readonly leases: LeaseStore;
  readonly bus: MessageBus;
  /** Who ends what nobody is waited for any more. */
  readonly shares: Shares;
  /** Resolves when all is known here that any replica has stored. @throws ReachError STORE_UNAVAILABLE */
  readonly catchUp: () => Promise<void>;
}

interface Context {
  readonly team: string;
  readonly clock: Clock;
  /** One sentence for the log. */
  readonly report: (message: string) => void;
}

/**
 * Leases that count once among replicas. Who grants one tells the others at once, who may miss it, and notes it in the
 * store, a little later: before a lease ends here, the store is asked whether it holds by another's heartbeat.
 */
export class SharedLeases {
  readonly #parts: SharedLeasesParts & Context;
  readonly #unnoted = new Map<string, { readonly lease: NotedLease; readonly grantedAt: number }>();
  #isFailing = false;
  #isClosed = false;
  #cancel: (() => void) | undefined;
  #unlisten: () => void = () => {};

  constructor(parts: SharedLeasesParts & Context) {
    this.#parts = parts;
  }

  get catchUp(): () => Promise<void> {
    return this.#parts.catchUp;
  }

  /** Whether it is for this replica to remove an instance that is abandoned. */
  removes(name: InstanceName): boolean {
    return this.#parts.shares.owns(instanceKey(name));
  }

  granted(granted: GrantedLease): void {
    const { team, bus, clock } = this.#parts;
    bus.send(team, TOPIC, granted);
    const { agentName, instanceId, leaseMs } = granted;
    const lease = { agentName, instanceId, leaseMs };
    this.#unnoted.set(instanceKey(lease), { lease, grantedAt: clock.monotonic() });
    this.#cancel ??= clock.after(NOTED_EVERY_MS, () => void this.#note());
  }

  /** `take` hears of what others grant. */
  listen(take: (granted: GrantedLease) => void): void {
    const { team, bus } = this.#parts;
    this.#unlisten = bus.listen(team, TOPIC, (message) => {
      // Another version of us may say it otherwise: the store is asked then.
      if (isObject(message) && typeof message.leaseMs === 'number') take(message as unknown as GrantedLease);
    });
  }

  /** What is left of these, in ms, whoever has granted them; undefined where the store cannot be asked. */
  async left(names: readonly InstanceName[]): Promise<readonly number[] | undefined> {
    try {
      const { leases, team } = this.#parts;
      return await leases.left(team, names);
    } catch {
      return undefined;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel?.();
    this.#unlisten();
  }

  async #note(): Promise<void> {
    const { team, leases, clock, report } = this.#parts;
    const due = new Map(this.#unnoted);
    this.#unnoted.clear();
    this.#cancel = undefined;
    const now = clock.monotonic();
    try {
      await leases.note(
        team,
        Array.from(due.values(), ({ lease, grantedAt }) => ({
          ...lease,
          leaseMs: Math.max(0, lease.leaseMs - (now - grantedAt)),
        })),
      );
      this.#isFailing = false;
    } catch (thrown) {
      if (!this.#isFailing) report(`Leases cannot be noted: ${asReachError(thrown).message}`);
      this.#isFailing = true;
      if (this.#isClosed) return;
      // Others ask for them as soon as the store is back. What was granted meanwhile is newer.
      for (const [key, each] of due) if (!this.#unnoted.has(key)) this.#unnoted.set(key, each);
      this.#cancel ??= clock.after(AGAIN_MS, () => void this.#note());
    }
  }
}
