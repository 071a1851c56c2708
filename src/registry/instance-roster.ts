import type { Clock } from '../clock.js';
import { quoted, ReachError } from '../errors.js';
import { ByInstance } from './by-instance.js';
import type { CatalogueChange, CatalogueSnapshot } from './catalogue.js';
import type { Instance, InstanceChange, InstanceFollower, InstanceName } from './instance.js';
import { LeaseBook } from './lease-book.js';
import { RegisteredInstance } from './registered-instance.js';
import { StaticInstances } from './static-instances.js';

/** An instance with its lease. */
export interface KnownInstance {
  readonly instance: Instance;
  /** What is left of the lease in ms; undefined for one that has none. */
  readonly leaseMs: number | undefined;
  /** Wall time in ms since the epoch; undefined before the first. */
  readonly lastHeartbeatMs: number | undefined;
}

interface InstanceRosterOptions {
  readonly clock: Clock;
  /** Evenly from 0 to 1, for jitter. */
  readonly random: () => number;
  /** Told of those whose leases have been over for long. */
  readonly abandoned: (registered: readonly RegisteredInstance[]) => void;
  /** Told of each whose lease is over, to say so by `tellOver` if that is true; undefined: it always is. */
  readonly over?: ((registered: RegisteredInstance) => void) | undefined;
}

/**
 * Who exists at this moment, in memory: what manifests name and what registered, the latter in the place of the
 * former where they have the same id. Synchronous: followers are told of a change in the step that makes it.
 */
export class InstanceRoster {
  readonly #random: () => number;
  readonly #followers: InstanceFollower[] = [];
  readonly #statics = new StaticInstances();
  readonly #registered = new ByInstance<RegisteredInstance>();
  readonly leases: LeaseBook<RegisteredInstance>;

  constructor({ clock, random, abandoned, over = (each) => this.tellOver(each) }: InstanceRosterOptions) {
    this.#random = random;
    this.leases = new LeaseBook(clock, { over, abandoned });
  }

  follow(follower: InstanceFollower): void {
    this.#followers.push(follower);
  }

  /** How many have registered, of one agent or in all. */
  count(agentName?: string): number {
    return agentName === undefined ? this.#registered.size : this.#registered.of(agentName).size;
  }

  find({ agentName, instanceId }: InstanceName): RegisteredInstance | undefined {
    return this.#registered.get(agentName, instanceId);
  }

  /** Whether the id is that of an instance which only its manifest names. */
  isStatic(name: InstanceName): boolean {
    return this.find(name) === undefined && this.#statics.get(name.agentName, name.instanceId) !== undefined;
  }

  /** @throws ReachError INSTANCE_UNKNOWN */
  known(name: InstanceName): KnownInstance {
    const registered = this.find(name);
    if (registered !== undefined) {
      const { instance, lastHeartbeatMs } = registered;
      return { instance, leaseMs: this.leases.leftMs(registered), lastHeartbeatMs };
    }
    const instance = this.#statics.get(name.agentName, name.instanceId);
    if (instance === undefined) throw unknownInstance(name);
    return { instance, leaseMs: undefined, lastHeartbeatMs: undefined };
  }

  /** Those of one agent, whether it is in the catalogue or not. */
  knownOf(agentName: string): KnownInstance[] {
    const ids = new Set([...this.#statics.of(agentName).keys(), ...this.#registered.of(agentName).keys()]);
    return Array.from(ids, (instanceId) => this.known({ agentName, instanceId }));
  }

  *registered(): Generator<Instance> {
    for (const { instance } of this.#registered.values()) yield instance;
  }

  applyCatalogue({ version }: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    const told = changes.flatMap(({ kind, agent: { manifest } }) =>
      kind === 'removed'
        ? this.#statics.remove(manifest.agentName)
        : this.#statics.publish(manifest, version),
    );
    this.#tell(told.filter(({ instance }) => this.find(instance) === undefined));
  }

  /** Takes in what registered; `leaseMs` by the place in the list. */
  join(instances: readonly Instance[], leaseMs: (place: number) => number): void {
    const changes = instances.flatMap((instance, place): InstanceChange[] => {
      const { agentName, instanceId } = instance;
      const registered = new RegisteredInstance(instance, this.#random);
      this.#registered.set(agentName, instanceId, registered);
      this.leases.grant(registered, leaseMs(place));
      const replaced = this.#statics.get(agentName, instanceId);
      const joined = { kind: 'joined', instance, startsDown: false } as const;
      return replaced === undefined
        ? [joined]
        : [{ kind: 'left', instance: replaced, reason: 'replaced' }, joined];
    });
    this.#tell(changes);
  }

  /** `restarted`: at another address, or as another program. */
  change(registered: RegisteredInstance, instance: Instance, restarted: boolean): void {
    if (restarted) registered.restart(instance);
    else registered.edit(instance);
    this.#tell([{ kind: 'changed', instance, restarted }]);
  }

  /** `version`: higher than those of their addresses; static ones of the same ids come back under it. */
  remove(registered: readonly RegisteredInstance[], reason: 'left' | 'expired', version: number): void {
    const changes = registered.flatMap((each): InstanceChange[] => {
      const { instance } = each;
      const { agentName, instanceId } = instance;
      this.#registered.delete(agentName, instanceId);
      this.leases.end(each);
      return [{ kind: 'left', instance, reason }, ...this.#statics.comeBack(agentName, instanceId, version)];
    });
    this.#tell(changes);
  }

  /** Lets a lease begin anew, also one that was over. */
  grant(registered: RegisteredInstance, leaseMs: number): void {
    const isBack = this.leases.grant(registered, leaseMs);
    if (isBack) this.#tellLease(registered.instance, true);
  }

  tellOver({ instance }: RegisteredInstance): void {
    this.#tellLease(instance, false);
  }

  #tell(changes: readonly InstanceChange[]): void {
    if (changes.length === 0) return;
    for (const follower of this.#followers) follower.applyInstances(changes);
  }

  #tellLease({ agentName, instanceId }: Instance, holds: boolean): void {
    for (const follower of this.#followers) follower.leaseChanged(agentName, instanceId, holds);
  }
}

export function unknownInstance({ agentName, instanceId }: InstanceName, why = ''): ReachError {
  return new ReachError('INSTANCE_UNKNOWN', `${agentName} has no instance ${quoted(instanceId)}.${why}`);
}
