import type { Clock } from '../clock.js';
import { asReachError, quoted, ReachError } from '../errors.js';
import { spelt } from '../net/agent-address.js';
import type { Heartbeat, Registration } from '../wire/instances.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from './catalogue.js';
import { LONGEST_WAIT_MS } from './heartbeat-interval.js';
import {
  type HeartbeatListener,
  type Instance,
  type InstanceCommand,
  type InstanceFollower,
  type InstanceName,
  type InstanceReport,
  instanceKey,
} from './instance.js';
import { InstanceRoster, type KnownInstance, unknownInstance } from './instance-roster.js';
import type { InstanceStore } from './instance-store.js';
import { InstancesOfOthers, registeredInstance, SHORTEST_LEASE_MS } from './instances-of-others.js';
import type { RegisteredInstance } from './registered-instance.js';
import { planRegistration, refuseReplaced } from './registration.js';
import type { GrantedLease, SharedLeases } from './shared-leases.js';
import { Turns } from './turns.js';

/** How many may be registered: names are the callers' to make up, and each costs memory and a place in the store. */
const MAX_OF_AGENT = 10_000;
const MAX_IN_ALL = 100_000;

/** A lease is as long as this many waits between two heartbeats, or as the shortest one. */
const HEARTBEATS_A_LEASE = 3;

interface InstanceRegistryOptions {
  readonly store: InstanceStore;
  readonly team: string;
  readonly clock: Clock;
  /** Told, in one sentence, of what could not be stored. */
  readonly report: (message: string) => void;
  /** Evenly from 0 to 1, for jitter. */
  readonly random?: () => number;
  /** Where other processes have the same store: leases are theirs too. */
  readonly shared?: SharedLeases | undefined;
}

/** When an instance is asked to beat, and until when it must, in ms from now. */
export interface LeaseTerms {
  readonly nextHeartbeatMs: number;
  readonly leaseMs: number;
}

/**
 * Who exists. What changes one instance happens in turns, and is stored before it counts; heartbeats change nothing that
 * is stored.
 */
export class InstanceRegistry implements CatalogueFollower {
  readonly #options: InstanceRegistryOptions;
  readonly #roster: InstanceRoster;
  readonly #turns = new Turns();
  readonly #others: InstancesOfOthers | undefined;
  #loaded = false;

  constructor(options: InstanceRegistryOptions) {
    this.#options = options;
    const { shared, store, team, clock, random = Math.random } = options;
    const roster = new InstanceRoster({
      ...{ clock, random },
      abandoned: (registered) => void this.#removeAbandoned(registered),
      over: shared && ((registered) => void this.#others?.endUnlessHeld(registered)),
    });
    this.#roster = roster;
    this.#others =
      shared && new InstancesOfOthers({ ...{ shared, store, team, clock, roster }, turns: this.#turns });
  }

  /** Adds a follower. Only before `load` and the first manifest, so that none misses a change. */
  follow(follower: InstanceFollower): void {
    this.#roster.follow(follower);
  }

  /**
   * Restores what was registered. Leases that run by what other replicas have noted go on; the others begin anew, as
   * long as the longest that may have been granted: while we were away nobody could beat.
   * @throws ReachError STORE_UNAVAILABLE
   */
  async load(): Promise<void> {
    const { store, team } = this.#options;
    const stored = await store.load(team);
    const left = await this.#options.shared?.left(stored);
    const longestMs = HEARTBEATS_A_LEASE * LONGEST_WAIT_MS;
    this.#roster.join(stored.map(registeredInstance), (place) => left?.[place] || longestMs);
    this.#loaded = true;
  }

  /** Hears what other replicas grant, and what instances have told these. */
  hearOthers(listener: HeartbeatListener): void {
    this.#others?.hear(listener);
  }

  /** Becomes what the store says of these, or of all: what other replicas have changed. @throws ReachError STORE_UNAVAILABLE */
  async takeOver(names?: readonly InstanceName[]): Promise<void> {
    await this.#others?.takeOver(names);
  }

  async prepare(_agents: readonly Agent[]): Promise<void> {}

  apply(snapshot: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    this.#roster.applyCatalogue(snapshot, changes);
  }

  /**
   * Registers an instance, edits it, or lets its lease begin anew. It counts, and is stored, when the promise
   * resolves; what changes nothing is not stored again.
   * @throws ReachError INSTANCE_TAKEN, INSTANCE_REPLACED, OVERLOADED, STORE_UNAVAILABLE, NOT_READY before `load`
   */
  register(name: InstanceName, registration: Registration): Promise<LeaseTerms & { addrVersion: number }> {
    return this.#inTurn(name, async () => {
      const incumbent = this.#roster.find(name);
      if (incumbent === undefined) this.#refuseTooMany(name.agentName);
      const isHeld = incumbent !== undefined && (await this.#isHeld(incumbent));
      const plan = planRegistration(
        name,
        registration,
        incumbent && { instance: incumbent.instance, isHeld },
      );
      if (plan.kind !== 'unchanged') {
        const instance = await this.#save(plan.instance, incumbent?.instance.addrVersion ?? null);
        if (incumbent === undefined) this.#roster.join([instance], () => SHORTEST_LEASE_MS);
        else this.#roster.change(incumbent, instance, plan.kind === 'restarted');
      }
      const registered = this.#registered(name);
      registered.registeredAgain();
      const { addrVersion } = registered.instance;
      const terms = this.#grant(registered, registered.interval.next());
      this.#tellOthers(registered, terms, undefined);
      return { addrVersion, ...terms };
    });
  }

  /**
   * A heartbeat: the lease begins anew, also one that was over, and `listener` hears what the instance says of itself.
   * @throws ReachError INSTANCE_UNKNOWN, INSTANCE_REPLACED, HEARTBEAT_STALE, INVALID_REQUEST for one from the future,
   * NOT_READY before `load`
   */
  renew(
    name: InstanceName,
    heartbeat: Heartbeat,
    listener: HeartbeatListener,
  ): LeaseTerms & { readonly commands: readonly InstanceCommand[] } {
    this.#refuseBeforeLoad();
    const registered = this.#registered(name);
    registered.take(heartbeat, this.#options.clock.now());
    const { state = 'up', pending, load } = heartbeat;
    const report: InstanceReport = { state, pending, load };
    // First of all it is back: nobody listens to an instance whose lease is over.
    this.#grant(registered, registered.interval.next());
    const { commands, fenced } = listener.heard(name.agentName, name.instanceId, report);
    const terms = this.#grant(registered, registered.interval.after(report, fenced));
    this.#tellOthers(registered, terms, { seq: heartbeat.seq, sentAt: heartbeat.sentAt, report });
    return { ...terms, commands };
  }

  /**
   * It finishes what it has and takes nothing new, until it registers with `draining: false` or as a new program.
   * @throws ReachError INSTANCE_UNKNOWN, INSTANCE_STATIC, INSTANCE_REPLACED, STORE_UNAVAILABLE, NOT_READY before `load`
   */
  drain(name: InstanceName, incarnation: number | undefined): Promise<void> {
    return this.#inTurn(name, async () => {
      const registered = this.#ownedBy(name, incarnation);
      const { addrVersion, ...before } = registered.instance;
      if (before.draining) return;
      const instance = await this.#save({ ...before, draining: true }, addrVersion);
      this.#roster.change(registered, instance, false);
    });
  }

  /**
   * It goes by itself. The static one of the same id is there again.
   * @throws ReachError INSTANCE_UNKNOWN, INSTANCE_STATIC, INSTANCE_REPLACED, STORE_UNAVAILABLE, NOT_READY before `load`
   */
  leave(name: InstanceName, incarnation: number | undefined): Promise<void> {
    return this.#inTurn(name, () => this.#remove([this.#ownedBy(name, incarnation)], 'left'));
  }

  /** Whether it has registered with this address, to be called or probed at. */
  hasRegistered(name: InstanceName, address: string): boolean {
    const { instance } = this.#roster.find(name) ?? {};
    return instance?.address === spelt(address) || instance?.healthAddress === address;
  }

  /** @throws ReachError INSTANCE_UNKNOWN */
  instance(name: InstanceName): KnownInstance {
    return this.#roster.known(name);
  }

  /** Those of one agent, whether it is in the catalogue or not. */
  instancesOf(agentName: string): KnownInstance[] {
    return this.#roster.knownOf(agentName);
  }

  /** All that have registered, whether their agent is in the catalogue or not. */
  registered(): Iterable<Instance> {
    return this.#roster.registered();
  }

  /** From now on no lease ends. */
  close(): void {
    this.#roster.leases.close();
    this.#options.shared?.close();
  }

  async #inTurn<Result>(name: InstanceName, work: () => Promise<Result>): Promise<Result> {
    this.#refuseBeforeLoad();
    const inTurn = () => this.#turns.take([instanceKey(name)], work);
    return this.#others === undefined ? inTurn() : this.#others.afterRaces(inTurn);
  }

  async #isHeld(registered: RegisteredInstance): Promise<boolean> {
    return this.#roster.leases.isHeld(registered) || (await this.#others?.hold(registered.instance)) === true;
  }

  #tellOthers(
    { instance }: RegisteredInstance,
    { leaseMs }: LeaseTerms,
    heartbeat: GrantedLease['heartbeat'],
  ): void {
    const { agentName, instanceId, incarnation } = instance;
    this.#options.shared?.granted({ agentName, instanceId, incarnation, leaseMs, heartbeat });
  }

  /** `expected`: the version of the address that is stored; null for none. */
  async #save(instance: Omit<Instance, 'addrVersion'>, expected: number | null): Promise<Instance> {
    const { store, team } = this.#options;
    const { origin, ...stored } = instance;
    const addrVersion = await store.save(team, stored, expected);
    return Object.freeze({ ...stored, origin, addrVersion });
  }

  async #remove(registered: readonly RegisteredInstance[], reason: 'left' | 'expired'): Promise<void> {
    const { store, team } = this.#options;
    const version = await store.remove(
      team,
      registered.map(({ instance }) => instance),
    );
    this.#roster.remove(registered, reason, version);
  }

  async #removeAbandoned(registered: readonly RegisteredInstance[]): Promise<void> {
    const keys = registered.map(({ instance }) => instanceKey(instance));
    await this.#turns.take(keys, async () => {
      const { leases } = this.#roster;
      // Who left, or came back, while others had the turn is no longer abandoned.
      const abandoned = registered.filter((each) => leases.isAbandoned(each));
      const isOurs = (each: RegisteredInstance) => this.#options.shared?.removes(each.instance) !== false;
      const gone = abandoned.filter(isOurs);
      // Whose it is may have ended by then.
      for (const each of abandoned) if (!isOurs(each)) leases.keep(each);
      try {
        if (gone.length > 0) await this.#remove(gone, 'expired');
      } catch (thrown) {
        for (const each of gone) leases.keep(each);
        this.#options.report(`Expired instances could not be removed: ${asReachError(thrown).message}`);
      }
    });
  }

  #grant(registered: RegisteredInstance, nextHeartbeatMs: number): LeaseTerms {
    const leaseMs = Math.max(SHORTEST_LEASE_MS, HEARTBEATS_A_LEASE * nextHeartbeatMs);
    this.#roster.grant(registered, leaseMs);
    return { nextHeartbeatMs, leaseMs };
  }

  #registered(name: InstanceName): RegisteredInstance {
    const registered = this.#roster.find(name);
    if (registered !== undefined) return registered;
    const isStatic = this.#roster.isStatic(name);
    throw unknownInstance(name, isStatic ? ' Its manifest names one, which has no lease to renew.' : '');
  }

  /** What a caller may drain or take away. */
  #ownedBy(name: InstanceName, incarnation: number | undefined): RegisteredInstance {
    if (this.#roster.isStatic(name)) {
      const detail = `${quoted(name.instanceId)} stands in the manifest of ${name.agentName}: change it there; weight 0 takes it out of service.`;
      throw new ReachError('INSTANCE_STATIC', detail);
    }
    const registered = this.#registered(name);
    refuseReplaced(registered.instance, incarnation);
    return registered;
  }

  #refuseTooMany(agentName: string): void {
    const tooMany = (most: number, of: string) =>
      new ReachError('OVERLOADED', `${most} instances${of} are registered already, which is the most.`);
    if (this.#roster.count(agentName) >= MAX_OF_AGENT) throw tooMany(MAX_OF_AGENT, ` of ${agentName}`);
    if (this.#roster.count() >= MAX_IN_ALL) throw tooMany(MAX_IN_ALL, '');
  }

  #refuseBeforeLoad(): void {
    if (!this.#loaded) throw new ReachError('NOT_READY', 'The instances are still being loaded.');
  }
}
