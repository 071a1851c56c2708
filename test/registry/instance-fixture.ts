import type {
  HeartbeatListener,
  InstanceChange,
  InstanceFollower,
  InstanceReport,
} from '../../src/registry/instance.js';
import { InstanceRegistry } from '../../src/registry/instance-registry.js';
import type { InstanceStore } from '../../src/registry/instance-store.js';
import { MemoryInstanceStore } from '../../src/storage/memory/instance-store.js';
import { TeamVersions } from '../../src/storage/memory/team-versions.js';
import { HandClock } from '../support/hand-clock.js';
import { TestCatalogue } from '../support/test-catalogue.js';

export const NAME = { agentName: 'reports', instanceId: 'a' };
export const ADDRESS = 'http://10.0.0.1:9595';
export const OTHER_ADDRESS = 'http://10.0.0.2:9595';

/** Keeps what it was told as words, and knows who is there by nothing else. */
class RecordingInstanceFollower implements InstanceFollower {
  told: string[] = [];
  /** Addresses by agent and id. */
  readonly addresses = new Map<string, string>();

  applyInstances(changes: readonly InstanceChange[]): void {
    for (const change of changes) this.#apply(change);
  }

  leaseChanged(agentName: string, instanceId: string, holds: boolean): void {
    if (!this.addresses.has(`${agentName}/${instanceId}`)) throw new Error(`${instanceId} is not there`);
    this.told.push(`${instanceId} ${holds ? 'holds again' : 'expired'}`);
  }

  /** What was told since the last time. */
  take(): string[] {
    return this.told.splice(0);
  }

  #apply(change: InstanceChange): void {
    const { agentName, instanceId, address } = change.instance;
    const key = `${agentName}/${instanceId}`;
    // One id never has two addresses, nor none that is told of.
    if (this.addresses.has(key) !== (change.kind !== 'joined')) throw new Error(`${change.kind} ${key}`);
    if (change.kind === 'left') {
      this.addresses.delete(key);
      this.told.push(`${instanceId} left: ${change.reason}`);
      return;
    }
    this.addresses.set(key, address);
    const how =
      change.kind === 'joined'
        ? `joined${change.startsDown ? ' down' : ''}`
        : change.restarted
          ? 'restarted'
          : 'edited';
    this.told.push(`${instanceId} ${how}`);
  }
}

/** Commands nothing and fences nobody, unless a test says so. */
class StandInListener implements HeartbeatListener {
  readonly heardOf: InstanceReport[] = [];
  fenced = false;

  heard(_agentName: string, _instanceId: string, report: InstanceReport) {
    this.heardOf.push(report);
    return { commands: this.fenced ? (['pause'] as const) : [], fenced: this.fenced };
  }
}

interface Given {
  readonly store?: InstanceStore;
  readonly random?: () => number;
}

/** A loaded registry of instances on a hand clock, over a catalogue that a test fills. */
export async function openInstances(given: Given = {}) {
  const { store = new MemoryInstanceStore(new TeamVersions()), random = () => 0.5 } = given;
  const clock = new HandClock();
  const reports: string[] = [];
  const registry = new InstanceRegistry({
    store,
    team: 'default',
    clock,
    report: (message) => reports.push(message),
    random,
  });
  const follower = new RecordingInstanceFollower();
  const catalogue = new TestCatalogue();
  registry.follow(follower);
  catalogue.follow(registry);
  await registry.load();
  const listener = new StandInListener();
  return {
    registry,
    store,
    clock,
    reports,
    follower,
    catalogue,
    listener,
    beat: (heartbeat = {}, name = NAME) => registry.renew(name, heartbeat, listener),
    /** Lets time pass in steps in which timers can keep up. */
    async pass(durationMs: number) {
      for (let rest = durationMs; rest > 0; rest -= 500) clock.pass(Math.min(500, rest));
      // What was over for long is taken out of the store behind it.
      await new Promise(setImmediate);
    },
  };
}
