import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../clock.js';
import type { ErrorCode } from '../errors.js';
import { afterRaces } from './after-races.js';
import { ByInstance } from './by-instance.js';
import { type HeartbeatListener, type Instance, type InstanceName, instanceKey } from './instance.js';
import type { InstanceRoster } from './instance-roster.js';
import type { InstanceStore, StoredInstance } from './instance-store.js';
import type { RegisteredInstance } from './registered-instance.js';
import type { SharedLeases } from './shared-leases.js';
import type { Turns } from './turns.js';

/** The shortest that is granted, in ms. */
export const SHORTEST_LEASE_MS = 15_000;

/** How often a change is made anew that another replica was faster than. */
const RACES = 2;
/** What may only be so here, since another replica has changed it and we do not know yet. */
const MAY_BE_BEHIND: ReadonlySet<ErrorCode> = new Set(['INSTANCE_UNKNOWN', 'INSTANCE_TAKEN']);

interface InstancesOfOthersParts {
  readonly shared: SharedLeases;
  readonly store: InstanceStore;
  readonly team: string;
  readonly clock: Clock;
  readonly roster: InstanceRoster;
  /** One a key of an instance: what changes it. */
  readonly turns: Turns;
}

/** What other replicas do to instances: they register, edit and remove them, and hear their heartbeats. */
export class InstancesOfOthers {
  readonly #parts: InstancesOfOthersParts;

  constructor(parts: InstancesOfOthersParts) {
    this.#parts = parts;
  }

  /** Hears what other replicas grant, and what instances have told these. */
  hear(listener: HeartbeatListener): void {
    this.#parts.shared.listen(({ heartbeat, leaseMs, ...granted }) => {
      const registered = this.#parts.roster.find(granted);
      // What is not known here yet is read with its lease once the store tells of it.
      if (registered === undefined || registered.instance.incarnation !== granted.incarnation) return;
      this.#parts.roster.grant(registered, leaseMs);
      if (heartbeat === undefined) return registered.registeredAgain();
      registered.heardElsewhere(heartbeat, this.#parts.clock.now());
      listener.heard(granted.agentName, granted.instanceId, heartbeat.report);
    });
  }

  /** Becomes what the store says of these, or of all: what other replicas have changed. @throws ReachError STORE_UNAVAILABLE */
  async takeOver(names?: readonly InstanceName[]): Promise<void> {
    const { store, team } = this.#parts;
    const all = names ?? [...this.#parts.roster.registered(), ...(await store.load(team))];
    const concerned = new Map(all.map((name) => [instanceKey(name), name]));
    await this.#parts.turns.take([...concerned.keys()], async () => {
      const current = new ByInstance<Instance>();
      for (const each of await store.find(team, [...concerned.values()])) {
        current.set(each.agentName, each.instanceId, registeredInstance(each));
      }
      await this.#become([...concerned.values()], current);
    });
  }

  /** Work that is tried again with what others have changed, where that may be why it was refused. */
  afterRaces<Result>(work: () => Promise<Result>): Promise<Result> {
    const { catchUp } = this.#parts.shared;
    return afterRaces({ most: RACES, refusals: MAY_BE_BEHIND, catchUp }, work);
  }

  /** Whether its lease holds by what any replica has granted. */
  async hold(instance: InstanceName): Promise<boolean> {
    const [leftMs = 0] = (await this.#parts.shared.left([instance])) ?? [];
    return leftMs > 0;
  }

  /** Its lease is over by what is known here: another replica may have heard from it. */
  async endUnlessHeld(registered: RegisteredInstance): Promise<void> {
    const left = await this.#parts.shared.left([registered.instance]);
    if (this.#parts.roster.find(registered.instance) !== registered) return;
    // Where nobody can be asked, nobody could beat elsewhere either, as far as we know: it is given another while.
    const leftMs = left === undefined ? SHORTEST_LEASE_MS : (left[0] ?? 0);
    if (leftMs > 0) this.#parts.roster.leases.grant(registered, leftMs);
    else if (!this.#parts.roster.leases.isHeld(registered)) this.#parts.roster.tellOver(registered);
  }

  /** `current`: what the store has of `names`. */
  async #become(names: readonly InstanceName[], current: ByInstance<Instance>): Promise<void> {
    const pairs = names.map((name) => ({
      known: this.#parts.roster.find(name),
      stored: current.get(name.agentName, name.instanceId),
    }));
    const gone = pairs.flatMap(({ known, stored }) =>
      known !== undefined && stored === undefined ? [known] : [],
    );
    const version = Math.max(0, ...gone.map(({ instance }) => instance.addrVersion)) + 1;
    const held = new Set(gone.filter((each) => this.#parts.roster.leases.isHeld(each)));
    const over = gone.filter((each) => !held.has(each));
    this.#parts.roster.remove([...held], 'left', version);
    this.#parts.roster.remove(over, 'expired', version);
    const come: Instance[] = [];
    for (const { known, stored } of pairs) {
      if (stored === undefined) continue;
      if (known === undefined) come.push(stored);
      else if (!isDeepStrictEqual(known.instance, stored)) {
        const { address, incarnation } = known.instance;
        this.#parts.roster.change(
          known,
          stored,
          address !== stored.address || incarnation !== stored.incarnation,
        );
      }
    }
    const left = await this.#parts.shared.left(come);
    this.#parts.roster.join(come, (place) => left?.[place] || SHORTEST_LEASE_MS);
  }
}

export function registeredInstance(stored: StoredInstance): Instance {
  return Object.freeze({ ...stored, origin: 'registered' });
}
