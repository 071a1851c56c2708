import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.js';
import type { StateChange } from '../health/state-change.js';
import type { Agent, CatalogueChange, CatalogueFollower, CatalogueSnapshot } from '../registry/catalogue.js';
import type { ChangeEvent, ChangeFilter } from '../wire/live.js';
import { ChangeCursor } from './change-cursor.js';
import { ChangeLog } from './change-log.js';
import { ChangeWindow } from './change-window.js';
import { LiveReaders } from './live-reader.js';

/** What happens to one instance in this time is one change. */
const WINDOW_MS = 250;

/** The changes from one moment on. */
export interface Changes extends AsyncIterable<ChangeEvent> {
  /** What resumes after all that was told so far; there from the start, before the first event. */
  readonly lastEventId: string;
}

/**
 * The merged changes of all instances, for whoever follows them. One timer for the window and one log for all
 * followers, so that neither many instances nor many or slow followers cost anything.
 */
export class ChangeStream implements CatalogueFollower {
  readonly #clock: Clock;
  /** Names this run, since numbers begin again with each. */
  readonly #boot = randomBytes(4).toString('hex');
  readonly #window = new ChangeWindow();
  readonly #log = new ChangeLog();
  readonly #readers = new LiveReaders<ChangeEvent>();
  #agents: CatalogueSnapshot['agents'] = new Map();
  /** Removed in this window: the changes that come of it are still theirs. */
  readonly #removed = new Map<string, Agent>();
  /** Many instances share one list, and none of them holds on to the manifest of an agent gone by. */
  readonly #capabilityIds = new WeakMap<Agent, readonly string[]>();
  #cancelTimer: (() => void) | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async prepare(): Promise<void> {}

  apply({ agents }: CatalogueSnapshot, changes: readonly CatalogueChange[]): void {
    this.#agents = agents;
    for (const { kind, agent } of changes) {
      if (kind !== 'removed') continue;
      this.#removed.set(agent.manifest.agentName, agent);
      this.#openWindow();
    }
  }

  add(change: StateChange): void {
    this.#window.add(change);
    this.#openWindow();
  }

  /** Tells all followers something about the service itself, at once. */
  notify(reason: string): void {
    // What happened before it is told before it.
    this.#endWindow();
    const at = new Date(this.#clock.now()).toISOString();
    const nobody = { agent: null, instance: null, from: null, to: null, addrVersion: null };
    this.#log.append({ at, ...nobody, reason }, []);
    this.#readers.wakeAll();
  }

  /**
   * What happens from now on, or, with `lastEventId`, after that event. Ends by its signal, or when its loop is left.
   * @throws ReachError OVERLOADED
   */
  follow(filter: ChangeFilter, options: { lastEventId?: string; signal?: AbortSignal } = {}): Changes {
    const cursor = new ChangeCursor(this.#log, this.#boot, filter, options.lastEventId);
    const reader = this.#readers.open(() => cursor.take(), options.signal);
    return {
      [Symbol.asyncIterator]: () => reader,
      get lastEventId() {
        return cursor.id;
      },
    };
  }

  /** Ends every follower's loop. */
  close(): void {
    this.#cancelTimer?.();
    this.#readers.endAll();
  }

  #openWindow(): void {
    this.#cancelTimer ??= this.#clock.after(WINDOW_MS, () => this.#endWindow());
  }

  #endWindow(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    for (const { atMs, agentName, instanceId, ...change } of this.#window.take()) {
      const told = { at: new Date(atMs).toISOString(), agent: agentName, instance: instanceId, ...change };
      this.#log.append(told, this.#capabilitiesOf(agentName));
    }
    this.#removed.clear();
    this.#readers.wakeAll();
  }

  #capabilitiesOf(agentName: string): readonly string[] {
    const agent = this.#agents.get(agentName) ?? this.#removed.get(agentName);
    if (agent === undefined) return [];
    const ids = this.#capabilityIds.get(agent) ?? agent.manifest.capabilities.map(({ id }) => id);
    this.#capabilityIds.set(agent, ids);
    return ids;
  }
}
